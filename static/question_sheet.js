/* Further questions where there is no room beside the post: one at a time in a sheet above the decision, the post's text
   on top of it. In a short window they stand in the page, below the categories. */
(() => {
  "use strict";

  const sheet = () => document.getElementById("questions");
  const handle = () => document.querySelector("#bench [data-questions]");
  const usesSheet = matchMedia("(width < 68.75rem) and (height >= 35rem)"); // as app.css has it
  const all = () => [...document.querySelectorAll("#bench [data-question]")];
  const asked = () => all().filter((question) => !question.inert);
  const isAnswered = (question) => [...question.querySelectorAll("[name^=answer_]")].some((control) =>
    /^(radio|checkbox)$/.test(control.type) ? control.checked && control.value : control.value.trim());

  let current = null;

  function count() {
    const button = handle();
    if (!button) return;
    const numbers = { answered: asked().filter(isAnswered).length, asked: asked().length };
    button.textContent = button.dataset.count.replace(/{(\w+)}/g, (_, name) => numbers[name]);
    button.disabled = !numbers.asked;
  }

  function show(question) {
    const panel = sheet();
    current = question;
    panel.toggleAttribute("data-open", Boolean(question)); // htmx sets classes of what has an id anew
    handle()?.setAttribute("aria-expanded", String(Boolean(question)));
    for (const each of all()) each.classList.toggle("is-current", each === question);
    if (!question) return;
    document.body.style.setProperty("--floor", `${document.getElementById("decide").offsetHeight}px`);
    const text = panel.querySelector(".questions-text");
    text.hidden = question.dataset.kind === "span"; // it shows the text itself
    text.textContent = document.querySelector("#bench .words .post-text")?.innerText ?? "";
    text.hidden ||= !text.textContent || Boolean(document.querySelector("#bench details[data-text]:not([open])"));
    const place = asked().indexOf(question);
    panel.querySelector("[data-place]").textContent = `${place + 1} / ${asked().length}`;
    panel.querySelector("[data-turn='-1']").disabled = place === 0;
    panel.querySelector("[data-turn='1']").disabled = place === asked().length - 1;
    panel.scrollTop = 0;
  }

  function ready() {
    const panel = sheet();
    current = null;
    if (!panel) return;
    panel.dataset.sheet = "";
    panel.querySelector(".questions-turn").hidden = false;
    handle().hidden = false;
    count();
  }

  const enter = (question) =>
    [...question.querySelectorAll("input:not([type=hidden]), textarea, .picker")].find((one) => one.checkVisibility())?.focus();

  document.addEventListener("questions:ready", ready);
  document.addEventListener("question:lead", ({ target }) => { if (usesSheet.matches) show(target); });
  document.addEventListener("change", ({ target }) => {
    if (!sheet()) return;
    count();
    if (!usesSheet.matches || !["category", "categories"].includes(target.name)) return;
    show(asked().find((question) => "required" in question.dataset && !isAnswered(question)) ?? null);
  });
  document.addEventListener("input", count);
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-questions], [data-turn]");
    if (!button) return;
    const turn = Number(button.dataset.turn ?? 0);
    const next = button.matches("[data-questions]") && !current ? asked().find((one) => !isAnswered(one)) ?? asked()[0]
      : turn ? asked()[asked().indexOf(current) + turn] : null;
    show(next ?? null);
    if (next) enter(next);
    else handle().focus();
  });
  document.addEventListener("keydown", (event) => { if (window.interplay.keyOf(event) === "Escape" && current) show(null); }, true);
})();
