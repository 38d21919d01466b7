/* The annotator's page by keyboard: every key presses a button of the form, so that nothing works here that would
   not work without it. Before a reveal only the blurred derivative is known to the page; the original's address
   comes as the answer to a reveal, which the server counts. */
(() => {
  "use strict";

  const { keyOf } = window.interplay;
  const byId = (id) => document.getElementById(id);
  const TEXT_FIELDS = "textarea, select, input:not([type=radio], [type=checkbox], [type=hidden])";

  // ── The post on the page ──
  let post = {}; // {seat, original, address, open, wanted, started, away, since}

  const answerForm = () => byId("answer");
  // How the form sends and what its answer replaces: the same for every post, so no post brings it along.
  const SENDS = {
    "hx-target": "#bench", "hx-select": "#bench", "hx-select-oob": "#day", "hx-swap": "outerHTML settle:0ms show:window:top",
    "hx-push-url": "false", "hx-sync": "this:drop", "hx-disinherit": "*",
  };
  const inBench = (selector) => byId("bench")?.querySelector(selector);

  function setUp() {
    const form = answerForm();
    if (!form) return;
    if (form.hasAttribute("hx-post")) for (const [name, how] of Object.entries(SENDS)) form.setAttribute(name, how);
    post = { seat: form.dataset.seat, started: performance.now(), away: 0, since: null, open: false, wanted: false };
    for (const button of form.querySelectorAll("[data-press][hidden]")) button.hidden = false;
    for (const button of form.querySelectorAll("[data-plain]")) button.remove();
    const reveal = inBench("[data-reveal]");
    if (reveal) {
      reveal.querySelector("[data-words]").textContent = reveal.dataset.hold;
      reveal.querySelector("small").textContent = reveal.dataset.holdSmall;
    }
    if (!("refused" in form.dataset)) restoreDraft(form);
    tellDone(form);
    showDefinition();
    nameMain();
    document.dispatchEvent(new Event("post:ready"));
  }

  // Readers hear which post they came to: its number and, where it is open, its text.
  function nameMain() {
    const main = byId("main"), text = inBench(".words .post-text"); // hidden where its words can be marked
    const words = text?.closest("section")?.checkVisibility() && !text.closest("details:not([open])") ? text.textContent.trim().replace(/\s+/g, " ").slice(0, 300) : "";
    const said = byId("page-words") ?? main.appendChild(document.createElement("span"));
    Object.assign(said, { id: "page-words", hidden: true, ariaLabel: words, lang: text?.closest("[lang]").lang ?? "" });
    main.setAttribute("aria-labelledby", "page-title page-words");
  }

  // ── What was done a moment ago, and how to take it back ──
  const MOMENT = 30_000;
  const WITH_FINGERS = matchMedia("(pointer: coarse)"); // they have no keys
  let done = ""; // told in the place of the definition, until a category is chosen
  let doneFor = ""; // the seat beside which it is told

  function keepDone(form) {
    if (!byId("words")) return; // training takes nothing back
    const chosen = [...answerForm().querySelectorAll(":is([name=category], [name=categories], [name=low_quality]):checked")];
    const names = chosen.map((input) => input.closest("label").querySelector("span").textContent.trim()).join(", ");
    const said = byId("words").dataset;
    let words = { skip: said.skipped, later: said.later }[form.id] ?? said.labelled;
    if (WITH_FINGERS.matches) words = words.replace(/(?<=[.。]).*/, ""); // what is told of the key
    words = words.replace("{label}", names);
    sessionStorage.setItem("done", JSON.stringify({ seat: post.seat, step: answerForm().dataset.step, words, at: Date.now() }));
  }

  function tellDone(form) {
    const kept = JSON.parse(sessionStorage.getItem("done") ?? "null");
    if (!kept && doneFor === form.dataset.seat) return; // the same page again
    doneFor = form.dataset.seat;
    sessionStorage.removeItem("done");
    const left = kept ? kept.at + MOMENT - Date.now() : 0;
    done = left > 0 && kept.step !== "first_answer" && kept.seat !== form.dataset.seat && !byId("said") ? kept.words : "";
    setTimeout(() => { if (byId("stored")) byId("stored").textContent = done || saidOf(form); }, 200); // what a page begins with is not read out
    if (done) setTimeout(() => { done = ""; if (answerForm() === form) showDefinition(); }, left);
  }

  const saidOf = (form) => form.querySelector("#definition")?.dataset.said ?? ""; // by the server, of the last step

  function showDefinition() {
    const place = byId("definition");
    if (!place) return;
    const chosen = [...document.querySelectorAll("#bench [data-definition]:checked")];
    const words = chosen.map((input) => input.dataset.definition).join(" ");
    const first = WITH_FINGERS.matches ? "" : place.dataset.first;
    const said = words || done || place.dataset.said;
    place.textContent = said || first || place.dataset.empty;
    place.title = said ?? "";
    place.toggleAttribute("data-told", Boolean(said)); // a small window shows nothing else
    place.toggleAttribute("data-back", Boolean(done && !words));
  }

  document.addEventListener("question:answered", showDefinition);

  async function post_(address, fields = {}) {
    if (!await window.interplay.freshen()) return Promise.reject(new Error("somebody else is signed in"));
    const body = new FormData();
    body.set("csrfmiddlewaretoken", answerForm().elements.csrfmiddlewaretoken.value);
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return fetch(address, { method: "POST", body, headers: { Accept: "application/json" }, redirect: "manual" });
  }

  // ── Looking at the picture ──
  async function reveal() {
    const figure = byId("picture");
    if (!figure || !figure.classList.contains("is-hidden") || post.wanted || post.refused) return;
    const mine = post;
    mine.wanted = true;
    const counted = post_(answerForm().dataset.look, { show: "1" }).catch(() => null);
    if (!mine.original) {
      const reply = await counted;
      const answer = reply?.ok ? await reply.json().catch(() => null) : null;
      if (!answer?.picture || mine !== post) {
        mine.wanted = false;
        mine.refused = true; // until the key is let go
        if (mine === post && reply && reply.status < 500) window.interplay.tell(document.body.dataset.gone);
        else if (mine === post) window.interplay.tellOffline();
        return;
      }
      window.interplay.answered();
      const original = new Image();
      original.src = answer.picture;
      original.alt = "";
      original.draggable = false;
      original.className = "original";
      await original.decode().catch(() => null);
      if (!original.naturalWidth) {
        mine.wanted = false;
        mine.refused = true;
        if (mine === post) window.interplay.tell(document.body.dataset.pictureFault);
        return;
      }
      mine.original = original;
    }
    if (!mine.wanted || mine !== post) return;
    figure.append(mine.original);
    figure.classList.remove("is-hidden");
  }

  function hide() {
    post.wanted = false;
    post.open = false;
    const figure = byId("picture");
    if (!figure || "open" in figure.dataset || !post.original) return;
    post.original.remove();
    figure.classList.add("is-hidden");
    pressed("b", false);
  }

  function letGo() {
    post.refused = false;
    if (!post.open) hide();
  }

  function keepOpen(open) {
    if (!open) { hide(); return; }
    post.open = true;
    pressed("b", true);
    reveal();
  }

  const pressed = (key, on) => inBench(`[data-press="${key}"]`)?.setAttribute("aria-pressed", String(on));

  function zoom(on) {
    const figure = byId("picture");
    if (!figure) return;
    figure.classList.toggle("is-zoomed", on);
    pressed("z", on);
  }

  function grey(button) {
    const on = byId("picture").classList.toggle("is-grey");
    button.setAttribute("aria-pressed", String(on));
    button.value = on ? "0" : "1";
    post_(answerForm().dataset.look, { grey: on ? "1" : "0" }).catch(() => null);
  }

  document.addEventListener("pointerdown", (event) => {
    if (event.target.closest("[data-reveal]") && event.button === 0) reveal();
  });
  for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, letGo);
  document.addEventListener("contextmenu", (event) => {
    if (event.target.closest("#picture")) event.preventDefault();
  });
  window.addEventListener("blur", hide);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      hide();
      post.since = performance.now();
    } else if (post.since !== null) {
      post.away += performance.now() - post.since;
      post.since = null;
    }
  });

  // ── Buttons ──
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button, a");
    if (!button) {
      if (event.target.closest(".picture.is-zoomed")) zoom(false);
      else if (event.target.matches("#definition[data-back]")) inBench("[form=undo]")?.click();
      return;
    }
    if (button.matches("[data-reveal]")) {
      event.preventDefault();
      if (event.detail === 0) keepOpen(!post.open); // by Enter or an assistive technology, which cannot hold
    } else if (button.matches("#bench [data-press=z]")) zoom(!byId("picture").classList.contains("is-zoomed"));
    else if (button.matches("#bench [data-press=b]")) keepOpen(!post.open);
    else if (button.matches("#bench [data-press=y]")) { event.preventDefault(); grey(button); }
    else if (button.matches("[data-drawer]")) { event.preventDefault(); openDrawer(button.href); }
    else if (button.matches("[data-close]")) button.closest("dialog").close();
  });

  let opener = null;
  async function openDrawer(address) {
    const drawer = byId("drawer");
    opener = document.activeElement;
    if (!drawer.open) drawer.showModal();
    const place = byId("drawer-text");
    if (place.childElementCount) return;
    const answer = await fetch(address).catch(() => null);
    if (!answer) { drawer.close(); window.interplay.tellOffline(); return; }
    if (!answer.ok) { drawer.close(); window.open(address, "_blank", "noopener"); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.replaceChildren(...page.getElementById("guidelines").childNodes);
    place.focus();
  }

  // Closed, it gives the keyboard back to what opened it; opened by its key, to the post and not to the page's top.
  byId("drawer")?.addEventListener("close", ({ target: drawer }) => {
    const here = document.activeElement;
    if (here !== document.body && !drawer.contains(here)) return;
    const before = opener?.isConnected && opener !== document.body ? opener : byId("main");
    before?.focus({ preventScroll: true });
  });

  document.addEventListener("change", ({ target }) => {
    if (target.name !== "category" && target.name !== "categories") return;
    if (target.type === "checkbox" && target.checked) { // a category or "not sure", never both
      const others = target.name === "category" ? "categories" : "category";
      for (const box of document.querySelectorAll(`#bench input[name=${others}]`)) box.checked = false;
    }
    showDefinition();
  }, true); // before the draft is kept

  // The line of a refused answer goes when what it asks for is there; questions.js has looked at its questions before.
  function forgive() {
    const answered = inBench(":is([name=category], [name=categories], [name=low_quality]):checked");
    if (!byId("wrong") || !answered || inBench(".question.is-wrong")) return;
    byId("wrong").remove();
    byId("definition").hidden = false;
  }
  for (const kind of ["change", "input"]) document.addEventListener(kind, forgive);

  // A panel that opens takes the focus to its first field, at once, so that no typed letter is taken for a key.
  const enter = (panel) => panel.querySelector("textarea, select, input")?.focus();
  document.addEventListener("toggle", (event) => {
    const panel = event.target;
    if (event.newState === "open" && panel.matches?.(".panel") && !panel.contains(document.activeElement)) enter(panel);
    // Closed, it gives the keyboard to the post, not to the page's top.
    const here = document.activeElement;
    if (event.newState === "closed" && (here === document.body || panel.contains(here))) goTo("main");
  }, true);

  // ── Keys ──
  function choose(input) {
    if (input.type === "checkbox") input.checked = !input.checked;
    else input.checked = input.dataset.press ? !input.checked : true;
    // A box would take the space bar, which shows the picture.
    if (input.name !== "categories") input.focus({ preventScroll: true });
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Who answers with one key sends by choosing, where the way back is open and no question waits for its answer.
  function sendsAtOnce(input) {
    const step = answerForm().dataset.step;
    if (!("oneKey" in document.documentElement.dataset) || !["answer", "keep_or_change"].includes(step)) return false;
    if (input.type !== "radio" || input.name !== "category" || !input.checked) return false;
    return !inBench("[data-question][data-required]:not([inert], :has([name^=answer_]:checked:not([value=''])))");
  }

  function submit() {
    const form = answerForm();
    form.requestSubmit(form.querySelector("[data-submit]"));
  }

  document.addEventListener("keydown", (event) => {
    const key = keyOf(event);
    if (!key || !answerForm()) return;
    if (byId("drawer")?.open) {
      if (key === "g") byId("drawer").close();
      return;
    }
    // A field of a panel that has just closed keeps the focus until the next frame; keys are the page's by then.
    const target = event.target.checkVisibility() ? event.target : document.body;
    if (target.matches(TEXT_FIELDS)) {
      if (key === "Control+Enter") { event.preventDefault(); submit(); }
      else if (key === "Enter" && target.id === "id_target_group") {
        event.preventDefault();
        target.closest("[popover]")?.hidePopover();
      }
      return;
    }
    if (key === " ") {
      // A category that is not chosen yet is chosen by it, as every radio button is.
      if (target.closest("button:not([data-reveal]), a, summary, input[type=checkbox], input[type=radio]:not(:checked)")) return;
      if (target.closest("input[data-press], .words, #drawer")) return;
      event.preventDefault();
      reveal(); // also on repeats: the key may be down since before the page was ready
      return;
    }
    if (event.repeat) return;
    if (key === "Enter") {
      if (target.closest("button, a, summary")) return;
      event.preventDefault();
      submit();
      return;
    }
    if (key === "Escape") {
      if (byId("picture")?.classList.contains("is-zoomed")) zoom(false);
      else if (!document.querySelector(":popover-open")) inBench("[data-leave]")?.click();
      return;
    }
    if (target.closest(".menu, [popover]:not(.more)")) return;
    const input = inBench(`input[data-key="${CSS.escape(key)}"]`) ?? inBench(`input[data-press="${CSS.escape(key)}"]`);
    if (input) {
      event.preventDefault();
      choose(input);
      if (sendsAtOnce(input)) submit();
      return;
    }
    const button = document.querySelector(`[data-press="${CSS.escape(key)}"]:is(button, a, summary)`);
    if (!button) return;
    event.preventDefault();
    button.click();
    if (button.popoverTargetElement) enter(button.popoverTargetElement);
  });
  document.addEventListener("keyup", (event) => {
    if (event.target.matches?.(TEXT_FIELDS) || event.code !== "Space") return; // whatever else is held
    if (event.target.closest?.("[data-reveal]")) event.preventDefault();
    letGo();
  });

  // ── What was typed survives a reload and a lost session ──
  // The last few posts keep their own: an undo leaves one that was begun, and comes back to it.
  const DRAFTS = 10;
  const drafts = () => JSON.parse(sessionStorage.getItem("draft:posts") ?? "{}"); // by seat, the newest last
  const kept = ["category", "categories", "low_quality", "note", "target_group", "challenge_text", "challenge_image"];
  const isKept = (name) => kept.includes(name) || name.startsWith("answer_");

  // A correction is kept when it is sent, as one of this revision: what was looked at and left is no answer.
  const draftOf = (form) => (form.dataset.step === "correction" ? form.getAttribute("action") : post.seat);

  function saveDraft({ type }) {
    const form = answerForm();
    if (!form || (form.dataset.step === "correction" && type !== "submit")) return;
    const values = new FormData(form);
    const names = [...new Set(values.keys())].filter((name) => isKept(name) && values.get(name));
    const draft = Object.fromEntries(names.map((name) => [name, values.getAll(name)]));
    const { [draftOf(form)]: _before, ...others } = drafts();
    const newest = [...Object.entries(others).slice(1 - DRAFTS), [draftOf(form), { step: form.dataset.step, draft }]];
    sessionStorage.setItem("draft:posts", JSON.stringify(Object.fromEntries(newest)));
  }

  function restoreDraft(form) {
    const { step, draft } = drafts()[draftOf(form)] ?? {};
    if (step !== form.dataset.step) return;
    for (const field of form.elements) { // what was emptied stays empty
      if (!isKept(field.name)) continue;
      const values = draft[field.name] ?? [];
      if (/^(radio|checkbox)$/.test(field.type)) field.checked = values.includes(field.value);
      else field.value = values[0] ?? "";
    }
  }

  document.addEventListener("input", saveDraft);
  document.addEventListener("change", saveDraft);

  // ── Time in sight, and the seat ──
  document.addEventListener("submit", (event) => {
    if (["answer", "skip", "later"].includes(event.target.id)) keepDone(event.target);
    if (event.target.id !== "answer") return;
    saveDraft(event);
    const field = event.target.elements.seconds; // training counts no time
    if (field) field.value = ((performance.now() - post.started - post.away) / 1000).toFixed(1);
  }, true);

  // ── A slow line ──
  const SAID_AFTER = 400, LONGEST = 20_000;
  let told = 0, tries = 0;
  let unsent = null; // the form that was sent and not yet answered
  // By the request: the form itself may have given way to the next post.
  const isAnswer = ({ detail: { requestConfig } }) => requestConfig?.elt?.id === "answer" && requestConfig.verb === "post";

  function say(words) {
    const button = inBench("[data-submit]");
    if (!button) return;
    button.dataset.words ??= button.innerHTML;
    if (words) button.textContent = words;
    else button.innerHTML = button.dataset.words;
    button.setAttribute("aria-busy", String(Boolean(words)));
  }

  document.addEventListener("htmx:beforeSend", (event) => {
    if (!isAnswer(event)) return;
    clearTimeout(told);
    told = setTimeout(() => say(byId("words")?.dataset[tries ? "again" : "sending"]), SAID_AFTER);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!isAnswer(event)) return;
    clearTimeout(told);
    if (event.detail.xhr.status) { tries = 0; unsent = null; say(""); }
  });
  // The key of the form stays, so that an answer that was stored is not stored again.
  document.addEventListener("htmx:sendError", (event) => {
    if (!isAnswer(event)) return;
    const form = event.detail.elt;
    tries += 1;
    say(byId("words")?.dataset.again);
    setTimeout(() => again(form), Math.min(1000 * 2 ** tries, LONGEST));
  });
  function again(form) {
    if (form && form === unsent && answerForm() === form && !form.classList.contains("htmx-request")) submit();
  }
  window.addEventListener("online", () => again(unsent));
  document.addEventListener("submit", ({ target }) => { if (target.id === "answer") unsent = target; }, true);
  document.addEventListener("input", () => { unsent = null; }); // who changes the answer sends it themselves

  let active = false;
  for (const sign of ["keydown", "pointerdown", "scroll"]) {
    document.addEventListener(sign, () => { active = true; }, { passive: true, capture: true });
  }
  setInterval(async () => {
    const form = answerForm();
    if (!active || !form?.dataset.renew || form.dataset.step === "correction") return;
    active = false;
    const answer = await post_(form.dataset.renew).catch(() => null);
    if (answer?.status === 409) window.interplay.tell(byId("words").dataset.lost);
  }, 110_000); // more often than the two minutes at most that count between two acts

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id !== "bench" && event.detail.elt.id !== "bench") return;
    setUp();
    goTo(TOLD.find(byId) ?? "main");
  });

  // What is told of an answer has the focus, so that it is read out; then the post.
  const TOLD = ["said", "wrong", "told", "changing"];
  function goTo(id) {
    const place = byId(id);
    if (!place || inBench(".question.is-wrong")) return; // the focus is there
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }
  setUp();
  if (document.activeElement === document.body) goTo(TOLD.find(byId) ?? (done && "main"));
})();
