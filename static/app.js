/* Interplay: the little that every page needs. All of it is comfort; the pages work without. */
(() => {
  "use strict";

  // Menus close on a click elsewhere and on Escape, which gives the focus back.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.querySelector("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // On a narrow screen the place one is at stays in sight.
  for (const here of document.querySelectorAll(":is(.site-nav, .tabs) [aria-current]")) {
    const strip = here.closest(".site-nav, .tabs"); // the strip is moved, and not the page
    const [mine, theirs] = [here.getBoundingClientRect(), strip.getBoundingClientRect()];
    strip.scrollLeft += mine.left + mine.width / 2 - (theirs.left + theirs.width / 2);
  }

  // Destructive forms ask once, in words written on the form.
  document.addEventListener("submit", (event) => {
    const question = event.target.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  }, true);

  // Pictures in lists and desks: the original is fetched when asked for, and let go of on hiding.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picture] [data-toggle]");
    if (!button) return;
    event.preventDefault();
    const figure = button.closest("[data-picture]");
    const picture = figure.querySelector("img");
    const hide = !figure.classList.contains("is-hidden");
    figure.classList.toggle("is-hidden", hide);
    picture.src = hide ? figure.dataset.blurred : figure.dataset.full;
  });

  // What a page wants the focus on has it as soon as the page can be used, not at its first painting: a key pressed
  // at once must not be lost. A form that came back has it on the first field that is wrong.
  const wrong = document.querySelector("main :is(input, select, textarea)[aria-invalid='true']");
  const focused = document.querySelector("[autofocus]") ?? wrong;
  if (focused && document.activeElement === document.body) focused.focus();

  // What a form as a whole was refused for is brought into sight, and the keyboard to it, where it is further down.
  const refusal = document.querySelector("form .notice[role=alert]");
  if (refusal && document.activeElement === document.body && refusal.getBoundingClientRect().bottom > window.innerHeight) {
    refusal.tabIndex = -1;
    refusal.focus({ preventScroll: true });
    refusal.scrollIntoView({ block: "center" });
  }

  // Debates are folded until somebody opens one; then they stay open, also while they arrive, for this session.
  const rounds = () => document.querySelectorAll("details.is-round");
  const openRounds = () => {
    if (sessionStorage.getItem("rounds") === "open") for (const round of rounds()) round.open = true;
  };
  document.addEventListener("click", (event) => {
    const round = event.target.closest("details.is-round > summary")?.parentElement;
    if (!round) return;
    sessionStorage.setItem("rounds", round.open ? "folded" : "open"); // it is toggled after this
    if (!round.open) for (const other of rounds()) if (other !== round) other.open = true;
  });
  document.addEventListener("htmx:afterSwap", openRounds);
  openRounds();

  // What a reader has opened, and where the keyboard is, stays so when the part around it is brought up to date.
  const nameOf = (fold) => {
    const names = [];
    for (let at = fold; at; at = at.parentElement.closest("details, article")) {
      names.push(at.querySelector("summary, h5, code")?.textContent.replace(/\d+/g, "").trim());
    }
    return names.join("/");
  };
  const CONTROLS = "a, button, summary, input, select, textarea";
  const wordsOf = (control) => control.textContent.replace(/\d+/g, "").trim();
  const nameOfControl = (control) => control.matches("summary") ? nameOf(control.parentElement) : [
    control.tagName, control.getAttribute("href") ?? "", control.name ?? "", control.form?.getAttribute("action") ?? "",
    control.matches("button") ? control.value : "", wordsOf(control),
  ].join("|");
  let kept = new Set();
  let [atPart, atControl] = ["", ""];
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target } = event.detail;
    kept = new Set([...target.querySelectorAll("details[open]")].map(nameOf));
    const control = document.activeElement?.closest(CONTROLS);
    atPart = target.id;
    atControl = control && !control.id && target.contains(control) ? nameOfControl(control) : ""; // htmx minds the ids
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    for (const fold of event.target.querySelectorAll("details")) if (kept.has(nameOf(fold))) fold.open = true;
    if (!atControl || event.target.id !== atPart || document.activeElement !== document.body) return;
    const same = [...event.target.querySelectorAll(CONTROLS)].find((control) => nameOfControl(control) === atControl);
    if (!same) event.target.tabIndex = -1; // what had the focus is done with: Tab goes on from here, not from the top
    (same ?? event.target).focus({ preventScroll: true });
  });

  // A lost connection or a server fault must never look like success.
  const tell = (text) => {
    const place = document.getElementById("messages");
    if (!place) return;
    const notice = document.createElement("p");
    notice.className = "notice is-bad";
    notice.textContent = text;
    place.replaceChildren(notice);
  };
  window.interplay = { tell };
  document.addEventListener("htmx:sendError", () => tell(document.body.dataset.offline));
  document.addEventListener("htmx:timeout", () => tell(document.body.dataset.offline));
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status >= 500) tell(document.body.dataset.fault);
    if ([400, 413, 429].includes(event.detail.xhr.status)) tell(document.body.dataset.refused);
    if ([401, 403, 404].includes(event.detail.xhr.status)) tell(document.body.dataset.gone);
  });

  // An answer without the part that was to be swapped in is another page (a sign-in, the end of the queue): go there.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const wanted = event.detail.requestConfig.elt.getAttribute("hx-select")?.match(/^#([\w-]+)/)?.[1];
    if (!event.detail.shouldSwap || !wanted) return;
    if (event.detail.serverResponse.includes(`id="${wanted}"`)) return;
    event.detail.shouldSwap = false;
    const { xhr } = event.detail;
    if (xhr.status < 400) { window.location.assign(xhr.responseURL); return; }
    // A refusal that leaves nothing to swap in (the last post was lost) says so, and holds what was typed: show it.
    const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
    document.title = page.title;
    document.body.replaceWith(document.adoptNode(page.body));
    window.htmx.process(document.body);
    document.getElementById("main")?.focus();
  });
})();
