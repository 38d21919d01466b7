/* The further questions on the annotator's page, by keyboard. The page works without this: then every question is shown
   with the categories that it belongs to, and parts of the text are quoted in a field.
   What the questions of one kind do beside that stands in `kinds`. Where they are shown, the second part says.
   Loaded before label.js, so that a key inside a question is taken here first. */
(() => {
  "use strict";

  const all = (selector, where = document) => [...where.querySelectorAll(selector)];
  const questions = () => all("#bench [data-question]");
  const beside = matchMedia("(width >= 68.75rem) and (height >= 35rem)"); // as app.css has it

  // ── Which are asked ──
  function fold() {
    const chosen = all("#bench :is([name=category], [name=categories]):checked");
    for (const question of questions()) {
      const when = question.dataset.when;
      question.inert = when !== "always" && !chosen.some((category) =>
        when === "hateful" ? category.dataset.hateful === "1" : when.includes(` ${category.value} `));
      question.classList.toggle("is-off", question.inert);
    }
    placeMarking();
    tellDigits();
  }
  const asked = () => questions().filter((question) => !question.inert);
  const isAnswered = (question) =>
    all("[name^=answer_]", question).some((control) => /^(radio|checkbox)$/.test(control.type) ? control.checked && control.value : control.value.trim());

  // ── Digits: after a category they answer what it asks for first ──
  let escaped = false; // the digits are the categories' again
  function pending() {
    if (escaped || !document.querySelector("#bench :is([name=category], [name=categories]):checked")) return null;
    const first = asked().find((question) => "required" in question.dataset && !isAnswered(question));
    return first?.querySelector("input[type=radio]") ? first : null;
  }
  const choices = (question) => all("input[type=radio]:not([value=''])", question);

  function tellDigits() {
    const place = document.getElementById("definition");
    const question = pending();
    if (!question || !place) return;
    const words = { last: Math.min(9, choices(question).length), question: question.dataset.title };
    place.textContent = place.dataset.digits.replace(/{(\w+)}/g, (_, name) => words[name]);
    place.title = place.textContent;
  }

  function tellAgain() {
    document.dispatchEvent(new Event("question:answered")); // label.js says what the chosen category means
    tellDigits();
  }

  function answerByDigit(digit) {
    const question = pending();
    const input = question && digit !== "0" ? choices(question)[digit - 1] : null;
    if (input) press(input);
    return Boolean(input);
  }

  // ── Parts of the text (span) ──
  const pickers = new WeakMap(); // picker -> {question, spans, at, from}
  const places = (step) => [Number(step.dataset.start), Number(step.dataset.end)];
  const stops = (picker) => all("[role=option]", picker);
  const field = (picker) => pickers.get(picker).question.querySelector("input[type=hidden][name^=answer_]");
  const pickerOf = (question) => document.querySelector(`#bench [data-marks-of="${question.dataset.question}"]`);
  const questionOf = (node) =>
    node.closest?.("[data-question]") ?? pickers.get(node.closest?.(".picker"))?.question ?? null;

  /* Where there is room the words are marked in the post's own text: the steps stand in its place. */
  let marking = null; // the question whose marks are shown
  function placeMarking() {
    const text = document.querySelector("#bench .words > .post-text");
    const spans = asked().filter((question) => question.dataset.kind === "span");
    if (!spans.includes(marking)) marking = spans[0] ?? null;
    for (const picker of all("#bench .picker")) {
      const { question } = pickers.get(picker);
      const inText = Boolean(text) && question === marking && beside.matches;
      picker.classList.toggle("in-post", inText);
      for (const name of text?.classList ?? []) picker.classList.toggle(name, inText);
      if (inText) { text.after(picker); picker.lang = text.lang; }
      else if (!question.contains(picker)) question.querySelector(".marking").before(picker);
      picker.hidden = Boolean(text) && !inText && beside.matches;
      question.querySelector("[data-mark]").hidden = !text || !beside.matches;
    }
    if (text) text.hidden = Boolean(document.querySelector("#bench .picker.in-post"));
  }

  function merged(spans) {
    const sorted = [];
    for (const [start, end] of spans.toSorted((one, other) => one[0] - other[0])) {
      const last = sorted.at(-1);
      if (last && start <= last[1]) last[1] = Math.max(last[1], end);
      else sorted.push([start, end]);
    }
    return sorted;
  }

  function words(picker, [from, to]) {
    return [...picker.children].filter((step) => places(step)[0] < to && places(step)[1] > from).map((step) => {
      const [start, end] = places(step);
      const letters = [...step.textContent];
      return (letters.length === end - start ? letters.slice(Math.max(0, from - start), to - start) : letters).join("");
    }).join("");
  }

  function paint(picker) {
    const { spans, at, from } = pickers.get(picker);
    const options = stops(picker);
    const [low, high] = [Math.min(at, from ?? at), Math.max(at, from ?? at)];
    for (const step of picker.children) {
      const [start, end] = places(step);
      const mark = spans.find((span) => span[0] < end && span[1] > start);
      step.classList.toggle("is-marked", Boolean(mark));
      step.classList.toggle("is-part", Boolean(mark) && (mark[0] > start || mark[1] < end));
      if (step.role === "option") step.setAttribute("aria-selected", String(Boolean(mark)));
    }
    pickers.get(picker).question.querySelector("[data-marks]").textContent =
      spans.map((span) => `“${words(picker, span)}”`).join(" ");
    options.forEach((option, number) => option.classList.toggle("is-here", number >= low && number <= high));
    if (options[at]) {
      picker.setAttribute("aria-activedescendant", options[at].id);
      if (document.activeElement === picker) options[at].scrollIntoView({ block: "nearest" });
    }
  }

  function store(picker, spans) {
    pickers.get(picker).spans = merged(spans);
    const input = field(picker);
    input.value = spans.length ? JSON.stringify(pickers.get(picker).spans) : "";
    paint(picker);
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /* Mark from start to end; what is marked there wholly already loses its mark. */
  function toggle(picker, start, end) {
    const { spans } = pickers.get(picker);
    const within = spans.some((span) => span[0] <= start && span[1] >= end);
    if (!within) store(picker, [...spans, [start, end]]);
    else store(picker, spans.flatMap((span) => [[span[0], Math.min(span[1], start)], [Math.max(span[0], end), span[1]]])
      .filter((span) => span[0] < span[1]));
  }

  function erase(picker, start, end) {
    store(picker, pickers.get(picker).spans.filter((span) => span[1] <= start || span[0] >= end));
  }

  function above(options, at, way) {
    const here = options[at].getBoundingClientRect();
    const row = options.map((option) => option.getBoundingClientRect());
    const line = row.map((box, number) => ({ box, number }))
      .filter(({ box }) => way * (box.top - here.top) > here.height / 2);
    if (!line.length) return at;
    const near = Math.min(...line.map(({ box }) => Math.abs(box.top - here.top)));
    const same = line.filter(({ box }) => Math.abs(box.top - here.top) < near + here.height / 2);
    return same.toSorted((one, other) => Math.abs(one.box.left - here.left) - Math.abs(other.box.left - here.left))[0].number;
  }

  function walk(picker, key, extending) {
    const options = stops(picker);
    const state = pickers.get(picker);
    const forward = getComputedStyle(picker).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const next = {
      Home: () => 0,
      End: () => options.length - 1,
      ArrowUp: () => above(options, state.at, -1),
      ArrowDown: () => above(options, state.at, 1),
    }[key]?.() ?? state.at + (key === forward ? 1 : -1);
    state.from = extending ? state.from ?? state.at : null;
    state.at = Math.max(0, Math.min(options.length - 1, next));
    paint(picker);
  }

  function chosenSteps(picker) {
    const { at, from } = pickers.get(picker);
    const options = stops(picker);
    const [low, high] = [Math.min(at, from ?? at), Math.max(at, from ?? at)];
    return [Number(options[low].dataset.start), Number(options[high].dataset.end)];
  }

  function keyInPicker(picker, event, key) {
    if (!stops(picker).length) return false;
    if (["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(key)) {
      walk(picker, key, event.shiftKey);
    } else if (key === " ") {
      toggle(picker, ...chosenSteps(picker));
      pickers.get(picker).from = null;
      paint(picker);
    } else if (key === "Backspace" || key === "Delete") {
      erase(picker, ...chosenSteps(picker));
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }

  /* Where a place in the page is in the text, in code points; inside a named control character it is at its end. */
  function placeOf(picker, node, offset) {
    const inside = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[data-start]");
    if (!inside || !picker.contains(inside)) {
      const next = [...picker.children].find((step) => {
        const whole = document.createRange();
        whole.selectNode(step);
        return whole.comparePoint(node, offset) <= 0;
      });
      return Number(next ? next.dataset.start : picker.lastElementChild.dataset.end);
    }
    const [start, end] = places(inside);
    const range = document.createRange();
    range.selectNodeContents(inside);
    range.setEnd(node, offset);
    if ([...inside.textContent].length !== end - start) return range.toString() ? end : start;
    return start + [...range.toString()].length;
  }

  document.addEventListener("pointerup", (event) => {
    const picker = event.target.closest?.(".picker");
    const selection = getSelection();
    if (event.button !== 0 || (!picker && selection.isCollapsed)) return;
    const owner = picker ?? selection.anchorNode?.parentElement?.closest(".picker");
    if (!owner) return;
    if (selection.isCollapsed || !selection.containsNode(owner, true)) {
      const step = event.target.closest("[role=option]");
      if (!step) return;
      pickers.get(owner).at = stops(owner).indexOf(step);
      toggle(owner, ...places(step));
      return;
    }
    const range = selection.getRangeAt(0);
    let start = placeOf(owner, range.startContainer, range.startOffset);
    let end = placeOf(owner, range.endContainer, range.endOffset);
    const text = [...owner.children].flatMap((step) => [...step.textContent]);
    if (text.length === Number(owner.lastElementChild.dataset.end)) { // no space at the ends
      while (start < end && !text[start].trim()) start += 1;
      while (start < end && !text[end - 1].trim()) end -= 1;
    }
    if (start < end) toggle(owner, start, end);
    selection.removeAllRanges();
  });

  function readyPicker(question) {
    const picker = pickerOf(question);
    pickers.set(picker, { question, spans: [], at: 0, from: null });
    const input = field(picker);
    input.disabled = false;
    picker.hidden = false;
    question.querySelector(".marking").hidden = false;
    pickers.get(picker).spans = input.value ? JSON.parse(input.value) : [];
    paint(picker);
  }

  // ── Kinds ──
  /* By kind: `ready` when a question is on the page; `key` for a key inside it, which returns whether it was taken. A
     kind with nothing but inputs and text fields needs no entry. */
  const kinds = {
    span: {
      ready: readyPicker,
      key: (question, target, event, key) => target.matches(".picker")
        ? keyInPicker(target, event, key) : keyInOptions(question, target, event, key),
    },
  };
  const kindOf = (question) => kinds[question.dataset.kind] ?? {};

  // ── Keys ──
  const controls = (question) => [...all("input:not([type=hidden]), textarea, .picker", question), pickerOf(question)]
    .filter((control) => control?.checkVisibility());

  function lead(question) {
    if (question.dataset.kind === "span") { marking = question; placeMarking(); }
    question.dispatchEvent(new Event("question:lead", { bubbles: true })); // it may have to be shown first
    const first = question.querySelector("input:checked") ?? controls(question)[0];
    first?.focus({ preventScroll: true });
    question.scrollIntoView({ block: "nearest" });
  }

  function changed(input) {
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function press(input) {
    input.checked = !input.checked;
    input.focus({ preventScroll: true });
    changed(input);
  }

  function keyInOptions(question, target, event, key) {
    const inputs = controls(question);
    if (/^[1-9]$/.test(key)) {
      if (inputs[key - 1]) press(inputs[key - 1]);
    } else if (key === "Backspace" || key === "Delete") {
      for (const input of inputs) input.checked = false;
      changed(inputs[0]);
    } else if (target.type === "checkbox" && /^Arrow/.test(key)) {
      const way = /Right|Down/.test(key) ? 1 : -1;
      inputs[(inputs.indexOf(target) + way + inputs.length) % inputs.length].focus();
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }

  function keyInText(target, event, key) {
    if (key !== "Enter" || event.shiftKey || target.tagName !== "TEXTAREA") return;
    event.preventDefault();
    target.form.requestSubmit(target.form.querySelector("[data-submit]"));
  }

  document.addEventListener("keydown", (event) => {
    const key = window.interplay.keyOf(event);
    if (!key || key === "Control+Enter") return;
    const question = questionOf(event.target);
    if (key === "Escape" && !event.target.closest?.("dialog, [popover]") && pending()) {
      escaped = true;
      tellAgain();
    }
    if (question) {
      if (key === "Escape") {
        event.preventDefault();
        event.stopImmediatePropagation();
        document.getElementById("main").focus({ preventScroll: true });
        return;
      }
      if (event.target.matches("textarea, input:not([type=radio], [type=checkbox])")) {
        keyInText(event.target, event, key);
        return;
      }
      const taken = (kindOf(question).key ?? keyInOptions)(question, event.target, event, key);
      if (taken || key === " ") event.stopImmediatePropagation(); // Space ticks here, it shows no picture
      if (taken) return;
    }
    if (event.target.matches?.("textarea, select, input:not([type=radio], [type=checkbox])")) return;
    if (event.repeat || event.target.closest?.("dialog, [popover]:not(.more)")) return;
    if (document.getElementById("drawer")?.open) return;
    if (/^[0-9]$/.test(key) && answerByDigit(key)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    const wanted = asked().find((one) => one.dataset.leads === key);
    if (!wanted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    lead(wanted);
  });

  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[data-mark]")) lead(questionOf(target));
  });

  // A chosen point or option is taken back by choosing it again.
  let before = null;
  document.addEventListener("pointerdown", (event) => {
    before = event.target.closest?.("[data-question] label")?.querySelector("input[type=radio]:checked") ?? null;
  });
  document.addEventListener("click", (event) => {
    if (!before || event.target !== before) return;
    before.checked = false;
    changed(before);
    before = null;
  });

  document.addEventListener("change", (event) => {
    if (["category", "categories"].includes(event.target.name)) {
      escaped = false;
      fold();
    } else if (questionOf(event.target)) {
      tellAgain();
    }
    forgive();
  });

  // ── A refused answer: its line goes (label.js) when what it asks for is there ──
  function forgive() {
    for (const question of document.querySelectorAll("#bench .question.is-wrong")) {
      question.classList.toggle("is-wrong", !question.inert && !isAnswered(question));
    }
  }
  document.addEventListener("input", forgive);

  beside.addEventListener("change", placeMarking);

  // ── A post is on the page (label.js has put back what was typed before) ──
  document.addEventListener("post:ready", () => {
    escaped = false;
    marking = null;
    for (const question of questions()) {
      for (const box of all("input[type=checkbox]", question).slice(1)) box.tabIndex = -1; // arrows lead to the others
      kindOf(question).ready?.(question);
    }
    fold();
    document.dispatchEvent(new Event("questions:ready"));
    const wrong = document.querySelector("#bench .question.is-wrong");
    if (wrong) lead(wrong);
  });
})();
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
