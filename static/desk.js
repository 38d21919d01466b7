/* The desks by keyboard: a key presses what the page shows beside it, and nothing works here that would
   not work without it. `data-press` names the key; a text field with it is gone into, everything else is clicked. */
(() => {
  "use strict";

  const TEXT_FIELDS = "textarea, select, input:not([type=radio], [type=checkbox], [type=hidden])";
  const decision = () => document.getElementById("decision");

  const named = (key) => document.querySelector(`[data-press="${CSS.escape(key)}"]`);

  function press(target) {
    if (target.matches(TEXT_FIELDS)) target.focus();
    else target.click();
    if (target.matches("input[type=radio]")) target.focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.repeat || event.altKey) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const submit = named("Control+Enter") ?? named("Enter");
      if (submit) { event.preventDefault(); submit.click(); }
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape" && event.target.matches?.(TEXT_FIELDS)) { event.target.blur(); return; }
    if (event.target.closest?.(TEXT_FIELDS)) return;
    if (event.key === "Enter" && event.target.closest?.("a, button, summary")) return;
    const target = named(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!target) {
      if (event.key === " " && !event.target.closest?.("a, button, summary, input")) {
        const toggle = document.querySelector("[data-picture] [data-toggle]");
        if (toggle) { event.preventDefault(); toggle.click(); }
      }
      return;
    }
    event.preventDefault();
    press(target);
  });

  // Excluding and labelling again want a reason too: without one the field is gone into instead of a round trip.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=ruling]");
    const rationale = decision()?.elements.rationale;
    if (!button || !rationale || rationale.value.trim()) return;
    event.preventDefault();
    rationale.focus();
  });

  // Whoever is at work keeps the post: activity renews the lease, a minute apart at most.
  let renewed = Date.now();
  async function renew() {
    const form = decision();
    if (!form?.dataset.renew || Date.now() - renewed < 60_000) return;
    renewed = Date.now();
    const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
    const answer = await fetch(form.dataset.renew, { method: "POST", headers }).catch(() => null);
    if (answer?.status === 409 && !document.getElementById("lost")) {
      const notice = document.createElement("p");
      notice.id = "lost";
      notice.className = "notice is-warn";
      notice.setAttribute("role", "alert");
      notice.textContent = form.dataset.lost;
      document.querySelector(".post")?.prepend(notice);
    }
  }
  for (const kind of ["keydown", "pointerdown", "scroll"]) document.addEventListener(kind, renew, { passive: true, capture: true });

  // What was typed outlives a closed page or a lost connection, for this state of this post and this session only.
  const draftKey = () => `decision ${decision()?.getAttribute("action")} ${decision()?.elements.version?.value ?? ""}`;
  const words = () => decision()?.elements.rationale ?? decision()?.elements.note;
  document.addEventListener("input", (event) => {
    if (event.target === words()) sessionStorage.setItem(draftKey(), event.target.value);
  });
  if (words() && !words().value) words().value = sessionStorage.getItem(draftKey()) ?? "";
})();
