/* The desks, and pages without a post, by keyboard: a key presses what the page shows beside it, and nothing works
   here that would not work without it. `data-press` names the key; a text field with it is gone into, everything else
   is clicked. */
(() => {
  "use strict";

  const { keyOf } = window.interplay;
  const TEXT_FIELDS = "textarea, select, input:not([type=radio], [type=checkbox], [type=hidden])";
  const decision = () => document.getElementById("decision");

  const named = (key) => document.querySelector(`[data-press="${CSS.escape(key)}"]`);

  // Whoever types in a form means that form: its own button with the key, or its only one. Else it is the page's.
  function submitFor(field) {
    if (!field.form || !field.matches(TEXT_FIELDS)) return named("Control+Enter") ?? named("Enter");
    const buttons = [...field.form.elements].filter((each) => each.type === "submit");
    return buttons.find((each) => ["Control+Enter", "Enter"].includes(each.dataset.press)) ?? (buttons.length === 1 ? buttons[0] : null);
  }

  // The key of a tab that is open already opens what is folded in it.
  const foldedBehind = (tab) => tab.matches(".tabs > a[aria-current]")
    ? document.querySelector("#help :is(details[data-beside], details.is-round):not([open]) > summary") : null;
  let goesInto = false; // a form was called by its key: its first field has the keyboard next

  function press(target) {
    const closed = target.closest("details[data-copy]:not([open])"); // words about a post are opened by their reader alone
    if (closed) { closed.querySelector("summary").focus(); return; }
    if (target.matches(TEXT_FIELDS)) {
      for (let fold = target.closest("details:not([open])"); fold; fold = target.closest("details:not([open])")) fold.open = true;
      target.focus();
    } else {
      // A panel that closes, and a tab whose part is shown, leave the keyboard there and not at the page's top.
      if (target.popoverTargetElement || target.matches(".tabs > a")) target.focus({ preventScroll: true });
      (foldedBehind(target) ?? target).click();
    }
    goesInto = target.matches("[data-in-place]:not(.tabs > a)");
    if (target.matches("input[type=radio]")) target.focus();
    const panel = target.popoverTargetElement; // what a key opened is gone into, or Tab would begin at the page's top
    if (panel?.matches(":popover-open")) panel.querySelector(TEXT_FIELDS)?.focus();
    if (target.matches("details[open]:has(form) > summary")) target.focus();
  }

  document.addEventListener("keydown", (event) => {
    const key = keyOf(event);
    if (!key || event.defaultPrevented || event.repeat) return;
    if (key === "Control+Enter") {
      const submit = submitFor(event.target);
      if (submit) { event.preventDefault(); submit.click(); }
      return;
    }
    if (key === "Escape" && event.target.matches?.(TEXT_FIELDS)) {
      if (!event.target.closest(":popover-open")) event.target.blur(); // a panel gives the keyboard back to its button
      return;
    }
    if (event.target.closest?.(TEXT_FIELDS)) return;
    if (key === "Enter" && event.target.closest?.("a, button, summary")) return;
    const target = named(key);
    if (!target) {
      if (key === " " && !event.target.closest?.("button, summary, input")) { // on a link it does nothing by itself
        const toggle = document.querySelector("[data-picture] [data-toggle]");
        if (toggle) { event.preventDefault(); toggle.click(); }
      }
      return;
    }
    event.preventDefault();
    press(target);
  });

  // Beside the post, what is marked so is opened and sent in place: of the page that answers, only the parts that
  // belong beside a post are shown. Without scripts the same links and forms lead to that page.
  const IN_PLACE = {
    "hx-target": "#help", "hx-select": "[data-beside]:not([data-beside] *)", "hx-select-oob": "#messages", "hx-swap": "innerHTML show:none",
    "hx-push-url": "false",
  };
  function openInPlace() {
    if (!document.getElementById("help")) return;
    for (const each of document.querySelectorAll(".work [data-in-place]:not([hx-target])")) {
      for (const [name, value] of Object.entries(IN_PLACE)) each.setAttribute(name, value);
      const isForm = each.matches("form");
      each.setAttribute(isForm ? "hx-post" : "hx-get", each.getAttribute(isForm ? "action" : "href"));
      if (!isForm) each.setAttribute("hx-sync", "#help:replace"); // of several links the last one counts
      window.htmx.process(each);
    }
  }
  document.addEventListener("htmx:afterSwap", ({ target }) => { // a run that was started beside the post counts
    const [count, runs] = [document.querySelector(".work > .tabs .quiet"), target.querySelectorAll(".runs-of-post li").length];
    if (target.id === "help" && target.querySelector("#run")) count.textContent = String(Math.max(1, runs, Number(count.textContent)));
  });
  document.addEventListener("htmx:afterSwap", ({ target }) => {
    if (target.id === "help" && goesInto) target.querySelector(`:is(${TEXT_FIELDS}, input:not([type=hidden]), summary)`)?.focus();
    if (target.id === "help") goesInto = false;
  });
  document.addEventListener("DOMContentLoaded", openInPlace);
  document.addEventListener("htmx:afterSwap", openInPlace);

  // The tabs beside the post in turn; those that lead to another page are left out.
  const nextTab = document.querySelector("[data-next-tab]");
  nextTab?.addEventListener("click", () => {
    const tabs = [...nextTab.parentElement.querySelectorAll("a[data-in-place]")];
    press(tabs[(tabs.findIndex((tab) => tab.ariaCurrent) + 1) % tabs.length]);
  });
  if (nextTab) nextTab.hidden = false;

  // A tab whose part was brought into the page is the current one.
  document.addEventListener("htmx:afterRequest", (event) => {
    const tab = event.detail.elt;
    if (!event.detail.successful || !tab.matches(".work > .tabs > a")) return;
    for (const other of tab.parentElement.children) other.removeAttribute("aria-current");
    tab.setAttribute("aria-current", "page");
  });

  // A draft of the rationale keeps the filters that the reviewer works with.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".work a[data-keep-filters]");
    if (!link) return;
    const kept = new URLSearchParams(location.search);
    for (const [name, value] of new URLSearchParams(link.search)) kept.set(name, value);
    link.search = kept;
  });

  // Excluding and labelling again want a reason too: without one the field is gone into, and says why.
  function want(field, wanted) {
    if (wanted) field.placeholder = field.dataset.wanted;
    field.ariaInvalid = String(wanted);
    field.closest(".field").classList.toggle("is-wrong", wanted);
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=ruling]");
    const rationale = decision()?.elements.rationale;
    if (!button || !rationale || rationale.value.trim()) return;
    event.preventDefault();
    want(rationale, true);
    rationale.focus();
  });
  document.addEventListener("input", ({ target }) => {
    if (target === decision()?.elements.rationale) want(target, false);
  });

  // A reason that was used before is taken into the field, and may be edited there. Enter takes the first one found.
  document.addEventListener("click", (event) => {
    const [used, field] = [event.target.closest?.("#reasons [data-reason]"), decision()?.elements.rationale];
    if (!used || !field) return;
    event.preventDefault();
    field.value = used.textContent.trim();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    document.getElementById("reasons").hidePopover();
    field.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (!event.target.matches?.("[data-find-reason]") || window.interplay.keyOf(event) !== "Enter") return;
    event.preventDefault();
    document.querySelector("#reasons-list [data-reason]")?.click();
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

  // What was typed outlives a closed page or a lost connection, for this person, this state of this post and this session only.
  const person = document.documentElement.dataset.person;
  const draftKey = () => `decision ${person} ${decision()?.getAttribute("action")} ${decision()?.elements.version?.value ?? ""}`;
  const words = () => decision()?.elements.rationale ?? decision()?.elements.note;
  document.addEventListener("input", (event) => {
    if (event.target === words()) sessionStorage.setItem(draftKey(), event.target.value);
  });
  if (words() && !words().value) words().value = sessionStorage.getItem(draftKey()) ?? "";

  // So does what stands in a form with `data-draft`, which with its version names the state it was typed at.
  // `data-changed` tells of it; `data-unsent` says that the site showed again what it had refused.
  const fieldsOf = (form) => [...form.elements].filter((field) => field.name && "defaultValue" in field && field.matches(TEXT_FIELDS));
  const isChanged = (field) => field.value !== field.defaultValue;
  const isUnsent = (form) => "unsent" in form.dataset || fieldsOf(form).some(isChanged);
  const placeOf = (form) => `${form.dataset.draft} ${form.elements.version?.value ?? ""}`;
  const taken = new WeakSet();
  function keep(form) {
    const unsent = (field) => isChanged(field) || ("unsent" in form.dataset && field.value !== "");
    const changed = fieldsOf(form).filter(unsent).map((field) => [field.name, field.value]);
    if (changed.length) sessionStorage.setItem(placeOf(form), JSON.stringify(changed));
    else sessionStorage.removeItem(placeOf(form));
    const told = form.querySelector("[data-changed]");
    if (told) told.hidden = !isUnsent(form);
  }
  function takeUp(form) {
    if (taken.has(form)) return;
    taken.add(form);
    const changed = new Map("unsent" in form.dataset ? [] : JSON.parse(sessionStorage.getItem(placeOf(form)) ?? "[]"));
    for (const field of fieldsOf(form)) {
      if (!changed.has(field.name)) continue;
      field.value = changed.get(field.name);
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
  const drafts = () => {
    for (const form of document.querySelectorAll("form[data-draft]")) { takeUp(form); keep(form); }
  };
  document.addEventListener("input", (event) => {
    const form = event.target.closest?.("form[data-draft]");
    if (form) keep(form);
  });
  document.addEventListener("DOMContentLoaded", drafts);
  document.addEventListener("htmx:afterSwap", drafts);

  // A form with `data-along` takes along what was changed in another form and not sent yet.
  document.addEventListener("formdata", (event) => {
    const other = document.getElementById(event.target.dataset.along ?? "");
    if (!other || !isUnsent(other)) return;
    for (const [name, value] of new FormData(other)) if (!event.formData.has(name)) event.formData.set(name, value);
  });
})();
