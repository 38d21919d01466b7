/* Interplay: the little that every page needs. All of it is comfort; the pages work without. */
(() => {
  "use strict";

  const { keyOf, shownKey } = window.interplay;

  // Menus close on a click elsewhere and on Escape, which gives the focus back.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (keyOf(event) !== "Escape") return;
    const menu = document.querySelector("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // `?` lists the page's keys: all that it shows beside its buttons, and the pictures' own.
  const keys = document.getElementById("keys");
  const keyed = () => [...document.querySelectorAll("[data-press], [data-key]")].filter((each) => !each.closest("dialog, [hidden]"));
  const nameOfKeyed = (each) => {
    const words = (each.matches("input, textarea, select") ? each.labels[0] : each)?.cloneNode(true);
    for (const mark of words?.querySelectorAll("kbd, b, small, textarea, select") ?? []) mark.remove();
    return each.ariaLabel || words?.textContent.trim() || each.title;
  };
  const row = (key, name) => {
    const [term, words, cap] = ["dt", "dd", "kbd"].map((tag) => document.createElement(tag));
    cap.textContent = key === "Control+Enter" ? "Ctrl+Enter" : key.length === 1 ? key.toUpperCase() : key;
    cap.dataset.named = key; // as the person has it
    words.textContent = name;
    term.append(cap);
    return [term, words];
  };
  const openKeys = () => {
    const list = keys.querySelector("dl");
    const rows = keyed().map((each) => [shownKey(each.dataset.press ?? each.dataset.key), nameOfKeyed(each)]).filter(([key]) => key);
    const submit = document.querySelector("[data-submit]");
    if (submit && !rows.some(([key]) => key === "Enter")) rows.push(["Enter", nameOfKeyed(submit)]);
    if (document.querySelector("[data-reveal], [data-picture] [data-toggle]") && !rows.some(([key]) => key === " ")) {
      rows.push(["Space", list.dataset.look]);
    }
    rows.push(["Esc", list.dataset.close], [shownKey("?"), list.dataset.keys]);
    list.replaceChildren(...[...new Map(rows.filter(([key, name]) => key && name))].flatMap(([key, name]) => row(key, name)));
    keys.showModal();
    list.parentElement.focus();
  };
  document.addEventListener("keydown", (event) => {
    if (keyOf(event) !== "?" || !keys || keys.open || !keyed().length) return;
    event.preventDefault();
    openKeys();
  });
  // Closed, it leaves the keyboard with the post, where it had opened over nothing in particular.
  keys?.addEventListener("close", () => {
    const main = document.getElementById("main");
    if (document.activeElement !== document.body || !main) return;
    main.tabIndex = -1;
    main.focus({ preventScroll: true });
  });
  keys?.addEventListener("keydown", (event) => {
    if (keys.open) event.stopPropagation(); // the page behind must not answer; once closed, it has the focus a frame late
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-close-keys]")) keys.close();
    if (event.target.closest("[data-open-keys]")) openKeys();
  });
  for (const each of document.querySelectorAll("[data-open-keys]")) each.hidden = !keyed().length;

  // On a narrow screen the place one is at stays in sight, and so does the one that the keyboard comes to.
  function bringIntoStrip(here) {
    const strip = here.closest(".site-nav, .tabs"); // the strip is moved, and not the page
    const [mine, theirs] = [here.getBoundingClientRect(), strip.getBoundingClientRect()];
    strip.scrollLeft += mine.left + mine.width / 2 - (theirs.left + theirs.width / 2);
  }
  document.querySelectorAll(":is(.site-nav, .tabs) [aria-current]").forEach(bringIntoStrip);
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(":is(.site-nav, .tabs) :focus-visible")) bringIntoStrip(target); // a press would miss its link
  });

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
    if (hide) zoom(figure, false);
  });
  const zoom = (figure, on) => {
    figure.classList.toggle("is-zoomed", on);
    const button = figure.querySelector("[data-zoom]");
    button.setAttribute("aria-pressed", String(on));
    if (on) button.focus({ preventScroll: true }); // arrow keys scroll a tall picture
  };
  document.addEventListener("click", ({ target }) => {
    const figure = target.closest("[data-picture]:not(.is-hidden)");
    if (!figure || target.closest("[data-toggle]")) return;
    const zoomed = figure.classList.contains("is-zoomed");
    if (zoomed || target.closest("[data-zoom]")) zoom(figure, !zoomed);
  });
  document.addEventListener("keydown", (event) => {
    if (keyOf(event) === "Escape") document.querySelectorAll("[data-picture].is-zoomed").forEach((figure) => zoom(figure, false));
  });

  // Where the keys of the categories scroll by themselves, the one that was chosen by its key comes into sight.
  document.addEventListener("change", ({ target }) => {
    const list = target.closest(".decide .keys");
    if (list?.scrollHeight > list?.clientHeight) target.closest(".key").scrollIntoView({ block: "nearest" });
  });

  // What a page wants the focus on has it as soon as the page can be used, not at its first painting: a key pressed
  // at once must not be lost. A form that came back has it on the first field that is wrong.
  const wrong = document.querySelector("main :is(input, select, textarea)[aria-invalid='true']");
  const focused = document.querySelector("[autofocus]") ?? wrong;
  if (focused && document.activeElement === document.body) focused.focus();

  // What a form as a whole was refused for has the keyboard, so that it is read out, and is brought into sight.
  const refusal = document.querySelector("form .notice[role=alert]");
  if (refusal && document.activeElement === document.body) {
    refusal.tabIndex = -1;
    refusal.focus({ preventScroll: true });
    if (refusal.getBoundingClientRect().bottom > window.innerHeight) refusal.scrollIntoView({ block: "center" });
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

  // ── A closed text: what repeats its words opens and closes with it ──
  const copies = () => document.querySelectorAll("details[data-copy]");
  document.addEventListener("toggle", ({ target }) => {
    if (target.matches("details[data-text]")) for (const copy of copies()) copy.open = target.open;
  }, true);
  document.addEventListener("htmx:afterSettle", () => {
    if (document.querySelector("details[data-text][open]")) for (const copy of copies()) copy.open = true;
  });
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
  // Another post begins as the reader wants posts to begin: what was opened of the last one is not opened here.
  const seatIn = (part) => part.querySelector("[data-seat]")?.dataset.seat;
  let kept = new Set();
  let [atPart, atControl, atSeat] = ["", "", ""];
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target } = event.detail;
    kept = new Set([...target.querySelectorAll("details[open]")].map(nameOf));
    atSeat = seatIn(target);
    const control = document.activeElement?.closest(CONTROLS);
    atPart = target.id;
    atControl = control && target.contains(control) ? nameOfControl(control) : ""; // htmx minds ids that are there again
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    const again = seatIn(event.target) === atSeat;
    for (const fold of event.target.querySelectorAll("details")) if (again && kept.has(nameOf(fold))) fold.open = true;
    if (!atControl || event.target.id !== atPart || document.activeElement !== document.body) return;
    const same = [...event.target.querySelectorAll(CONTROLS)].find((control) => nameOfControl(control) === atControl);
    const place = same ?? (event.target.checkVisibility() ? event.target : document.getElementById("main"));
    if (!same) place.tabIndex = -1; // what had the focus is done with: Tab goes on from here, not from the top
    place.focus({ preventScroll: true });
  });

  // What is brought up to date each second is not read out each time: its heading and state are, when the state changes.
  const states = new Map();
  const aloud = document.querySelector("[data-polled], #help") && document.body.appendChild(document.createElement("p"));
  if (aloud) Object.assign(aloud, { className: "visually-hidden", ariaLive: "polite" });
  const tellStates = () => {
    for (const part of aloud ? document.querySelectorAll("[data-polled]") : []) {
      const heading = part.querySelector("h2"), state = heading.nextElementSibling.textContent.trim();
      if ((states.get(part.id) ?? state) !== state) aloud.textContent = `${heading.textContent.trim()}: ${state}`;
      states.set(part.id, state);
    }
  };
  document.addEventListener("htmx:afterSwap", tellStates);
  tellStates();

  // So it is in the parts that come along with it: what says nothing new stays, with its focus and its place in a list.
  const said = (part) => part.textContent.replace(/\s+/g, " ").trim();
  let atLink = "";
  document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    if (!detail.target.matches("[data-beside]")) return;
    detail.shouldSwap = said(detail.fragment) !== said(detail.target);
    atLink = (detail.target.contains(document.activeElement) && document.activeElement.getAttribute("href")) || "";
  });
  document.addEventListener("htmx:oobAfterSwap", ({ target }) => {
    if (!atLink || document.activeElement !== document.body) return;
    target.querySelector(`[href="${CSS.escape(atLink)}"]`)?.focus({ preventScroll: true });
  });

  // A lost connection or a server fault must never look like success. That the server is away is told until it answers;
  // what it refused, until something is stored.
  const floating = () => {
    const place = document.createElement("div");
    Object.assign(place, { id: "messages", className: "messages is-floating", ariaLive: "assertive" });
    document.body.append(place);
    return place;
  };
  const tell = (text, until = "stored") => {
    const place = document.getElementById("messages") ?? floating();
    clearInterval(listening);
    listening = 0;
    const notice = document.createElement("p");
    notice.className = "notice is-bad";
    notice.dataset.told = until;
    notice.textContent = text;
    place.replaceChildren(notice);
    closable(notice);
  };
  // A notice that floats over the post can be put away.
  const closable = (notice) => {
    const close = document.createElement("button");
    close.type = "button";
    close.className = "notice-close";
    close.setAttribute("aria-label", document.body.dataset.close);
    close.addEventListener("click", () => {
      notice.remove();
      document.getElementById("main")?.focus({ preventScroll: true });
    });
    notice.append(close);
  };
  document.querySelectorAll(".messages.is-floating > .notice").forEach(closable);
  // What a page begins with is not read out, what is put into it is: notices that came with it are put in again.
  const SAID = "#messages > .notice, .bench-notices > .notice, main .notice[role=alert]";
  setTimeout(() => {
    for (const notice of document.querySelectorAll(SAID)) {
      const [place, next] = [notice.parentNode, notice.nextSibling];
      if (notice.contains(document.activeElement)) continue; // it is read already
      notice.remove();
      place.insertBefore(notice, next);
    }
  }, 300);
  let listening = 0;
  const answered = (until = "answered") => {
    clearInterval(listening);
    document.querySelector(`#messages [data-told="${until}"]`)?.remove();
  };
  const tellOffline = () => {
    tell(document.body.dataset.offline, "answered");
    const mine = listening = setInterval(async () => {
      const answer = await fetch("/readyz", { signal: AbortSignal.timeout(3000) }).catch(() => null);
      if (mine === listening && answer?.status < 500) answered();
    }, 3000);
  };

  // Each sign-in makes the forms of earlier pages stale. Whoever is still the same person sends with a new token, unasked.
  // On a page of another person nothing is sent, nor lost.
  const token = () => /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  let known = token();
  const isFresh = () => token() === known;
  async function freshen() {
    if (isFresh()) return true;
    const answer = await fetch("/me/").catch(() => null);
    if (!answer) { tellOffline(); return false; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [now, here] = [page.documentElement.dataset.person, document.documentElement.dataset.person];
    if (now && now !== here) { leadOn(!here); return false; }
    const fresh = page.querySelector("[name=csrfmiddlewaretoken]")?.value;
    for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) if (fresh) field.value = fresh;
    if (fresh) document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": fresh }));
    known = token();
    return true;
  }
  function leadOn(isStranger) {
    if (isStranger && location.pathname.startsWith("/accounts/login")) { location.reload(); return; } // to the page they wanted
    tell(document.body.dataset.otherPerson);
    const link = document.createElement("a");
    link.href = location.href;
    link.textContent = document.body.dataset.loadPage;
    document.querySelector("#messages > .notice").append(" ", link);
  }
  window.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (isFresh() || form.getAttribute("method") !== "post") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    freshen().then((same) => { if (same) form.requestSubmit(submitter); });
  }, true);
  document.addEventListener("htmx:confirm", (event) => {
    if (isFresh() || event.detail.verb === "get") return;
    event.preventDefault();
    freshen().then((same) => { if (same) event.detail.issueRequest(true); });
  });

  Object.assign(window.interplay, { tell, tellOffline, answered, freshen });
  // Without a connection a form or a link would leave for the browser's own page about it: it stays, and says so.
  // A server on this machine answers all the same.
  let answersWithout = false;
  const look = async () => {
    answersWithout = false;
    if (!navigator.onLine) answersWithout = Boolean(await fetch("/livez").catch(() => null));
  };
  for (const change of ["offline", "online"]) window.addEventListener(change, look);
  look();
  const stays = (event) => {
    if (navigator.onLine || answersWithout || event.defaultPrevented) return;
    event.preventDefault();
    tellOffline();
  };
  document.addEventListener("submit", stays);
  document.addEventListener("click", (event) => {
    if (event.target.closest("a[href]:not([href^='#'], [data-drawer])")) stays(event);
  });
  document.addEventListener("htmx:sendError", tellOffline);
  document.addEventListener("htmx:timeout", tellOffline);
  document.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
    if (detail.xhr.status >= 400) return;
    answered();
    if (detail.requestConfig.verb === "post") answered("stored");
  });
  const tellRefusal = (status) => {
    if (status >= 500) tell(document.body.dataset.fault);
    if ([400, 413, 429].includes(status)) tell(document.body.dataset.refused);
    if ([401, 403, 404].includes(status)) tell(document.body.dataset.gone);
  };
  document.addEventListener("htmx:responseError", ({ detail }) => tellRefusal(detail.xhr.status));

  // A picture that did not load says so, where the browser would show a torn sheet.
  const missed = (picture) => {
    const figure = picture.closest("figure.picture");
    if (!figure || figure.querySelector(".picture-fault")) return;
    const [fault, again] = [document.createElement("p"), document.createElement("button")];
    fault.className = "picture-fault";
    fault.setAttribute("role", "alert");
    again.className = "button";
    again.type = "button";
    again.textContent = document.body.dataset.loadAgain;
    again.addEventListener("click", () => { picture.src = picture.src; });
    picture.addEventListener("load", () => { fault.remove(); figure.classList.remove("is-missed"); }, { once: true });
    fault.append(document.body.dataset.pictureFault, " ", again);
    figure.append(fault);
    figure.classList.add("is-missed");
  };
  document.addEventListener("error", (event) => { if (event.target.matches?.("figure.picture img")) missed(event.target); }, true);
  for (const picture of document.querySelectorAll("figure.picture img")) {
    if (picture.complete && !picture.naturalWidth) missed(picture);
  }

  // What was sent after the session had ended is filled in again, once its sender, and nobody else, has signed in.
  const typed = (form) => [...form.elements].filter((field) => field.name && !["hidden", "file", "submit", "button"].includes(field.type));
  const nameOfForm = (form) => new URL(form.getAttribute("action") || location.pathname, location.href).pathname;
  document.addEventListener("submit", ({ target: form }) => {
    if (form.getAttribute("method") !== "post" || form.querySelector("[type=password]")) return;
    const values = typed(form).filter((field) => !["radio", "checkbox"].includes(field.type) || field.checked);
    const sent = [nameOfForm(form), values.map((field) => [field.name, field.value]), document.documentElement.dataset.person];
    sessionStorage.setItem("sent", JSON.stringify(sent));
  }, true);
  const back = document.querySelector("[data-signed-in-again]");
  if (back) {
    const [name, values, person] = JSON.parse(sessionStorage.getItem("sent") ?? "[]");
    const forms = person === document.documentElement.dataset.person ? [...document.querySelectorAll("form[method=post]")] : [];
    const form = forms.find((each) => nameOfForm(each) === name);
    for (const field of form ? typed(form) : []) {
      const mine = values.filter(([called]) => called === field.name).map(([, value]) => value);
      if (["radio", "checkbox"].includes(field.type)) field.checked = mine.includes(field.value);
      else if (mine.length && !field.multiple) field.value = mine[0];
    }
    if (form) back.textContent = back.dataset.signedInAgain;
    const address = new URL(location.href);
    address.searchParams.delete("signed_in");
    history.replaceState(history.state, "", address);
  }
  document.addEventListener("htmx:afterSwap", (event) => { if (event.target.id === "bench") back?.remove(); });
  if (!location.pathname.startsWith("/accounts/")) sessionStorage.removeItem("sent");
  // Whoever signs out leaves nothing typed behind for the next person at this computer.
  document.addEventListener("submit", ({ target: form }) => {
    if (form.matches("[data-signs-out]")) sessionStorage.clear();
  }, true);

  // What is brought up to date by itself gives way to a form inside it whose answer is on its way. Else the message that
  // comes with that answer finds no place.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { elt } = event.detail.requestConfig;
    if (!elt.getAttribute("hx-trigger")?.startsWith("every")) return;
    if (event.detail.target.querySelector("form.htmx-request")) event.detail.shouldSwap = false;
  });

  // The answer to what has left the page meanwhile takes the place of nothing. What it says of something done is shown.
  const late = (event) => {
    const { xhr, requestConfig } = event.detail;
    if (event.target.isConnected) return;
    event.preventDefault();
    if (requestConfig.verb === "get") return;
    const said = new DOMParser().parseFromString(xhr.responseText, "text/html").querySelector("#messages > .notice, [role=alert]");
    if (said) (document.getElementById("messages") ?? floating()).replaceChildren(said);
    else tellRefusal(xhr.status);
  };
  document.addEventListener("htmx:beforeRequest", ({ target }) => target.addEventListener("htmx:beforeOnLoad", late));

  // Of the parts that come along with an answer, those without a place on this page are left out.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (!detail.serverResponse.includes("hx-swap-oob")) return;
    const answer = document.createElement("template");
    answer.innerHTML = detail.serverResponse;
    for (const part of answer.content.querySelectorAll("[hx-swap-oob]")) if (!document.getElementById(part.id)) part.remove();
    detail.serverResponse = answer.innerHTML;
  });

  // An answer without the part that was to be swapped in is another page (a sign-in, the end of the queue): go there.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const select = event.detail.requestConfig.elt.getAttribute("hx-select");
    const [, id, mark] = select?.match(/^(?:#([\w-]+)|\[([\w-]+)\])/) ?? [];
    const wanted = id ? `id="${id}"` : mark;
    if (!event.detail.shouldSwap || !wanted || event.detail.serverResponse.includes(wanted)) return;
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
