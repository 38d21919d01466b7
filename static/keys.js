/* One function reads keys on all pages: `interplay.keyOf(event)`. Pages ask it, and look at no event themselves. */
(() => {
  "use strict";

  const FIELDS = "textarea, select, input:not([type=radio], [type=checkbox], [type=hidden], [type=button], [type=submit])";
  const root = document.documentElement.dataset;

  // Who switched single keys off presses letters and digits with Alt, or not at all (WCAG 2.1.4). Fields take all signs.
  const use = root.keys ?? "plain";
  // Own keys of this page, by the key that the page names: {"s": "k"}.
  const own = new Map(Object.entries(JSON.parse(root.ownKeys ?? "{}")));
  const meant = new Map([...own].map(([named, pressed]) => [pressed, named]));

  // A field of a panel that has just closed keeps the focus until the next frame; keys are the page's by then.
  const inField = ({ target }) => Boolean(target?.closest?.(FIELDS)?.checkVisibility());
  const isSign = (key) => key.length === 1 && key !== " " && key !== "⌫";

  // An input method that is on, a screen keyboard and an accent do not tell the sign: the place on the keyboard does.
  const UNTOLD = ["Process", "Unidentified", "Dead", ""];
  const byPlace = ({ code = "", shiftKey }) => {
    if (code === "Slash") return shiftKey ? "?" : "";
    return (/^(?:Key|Digit|Numpad)(?<sign>[A-Z0-9])$/.exec(code)?.groups.sign ?? "").toLowerCase();
  };

  /* The sign or the name of a key. Other layouts (Hangul, Cyrillic, Greek, Arabic, the digits of AZERTY) write another
     sign: there the place counts too. Full width counts as the sign itself. */
  function nameOf(event) {
    if (UNTOLD.includes(event.key ?? "")) {
      if (event.key === "Process" && /Enter$/.test(event.code)) return ""; // it ends a word
      return { Space: " ", Backspace: "Backspace", Escape: "Escape" }[event.code] ?? byPlace(event);
    }
    if (/^[A-Z][A-Za-z0-9]+$/.test(event.key)) return event.key;
    const key = event.key.normalize("NFKC");
    return /^[a-z0-9? ]$/i.test(key) ? key.toLowerCase() : byPlace(event);
  }

  /* Whether an input method has the key: it composes, or ends a word (Safari says so by the number 229 alone). */
  const isComposed = (event) => event.isComposing
    || (event.keyCode === 229 && (inField(event) || event.key === "Enter"));

  /* The key that is pressed, as pages name it: a sign in lower case, " ", or a name such as "Enter", "Escape" and
     "Control+Enter". "" where it is no key for the page: an input method has it, it is typed into a field, it belongs to
     the browser, or the person has switched it off. */
  function keyOf(event) {
    if (isComposed(event)) return "";
    const key = nameOf(event);
    if (event.ctrlKey || event.metaKey) return key === "Enter" ? "Control+Enter" : "";
    if (!isSign(key)) return event.altKey || (key === " " && inField(event)) ? "" : key;
    if (inField(event) || use === "off" || event.altKey !== (use === "alt")) return "";
    return meant.get(key) ?? (own.has(key) ? "" : key);
  }

  /* The key beside its button: the person's own, with Alt where they want it, and "" where it is switched off. */
  function shownKey(named) {
    if (!isSign(named)) return named;
    if (use === "off") return "";
    const key = own.get(named.toLowerCase()) ?? named;
    return `${use === "alt" ? "Alt+" : ""}${named === named.toUpperCase() ? key.toUpperCase() : key}`;
  }

  window.interplay = { keyOf, shownKey };

  // What the page shows and tells of its keys is said as the person has them, also of what comes later.
  if (use === "plain" && !own.size) return;
  function tell() {
    for (const cap of document.querySelectorAll("kbd:not([data-named]), .key > b:not([data-named])")) {
      const named = cap.textContent.trim();
      if (!isSign(named)) continue;
      cap.dataset.named = named;
      const shown = shownKey(named);
      if (cap.matches("kbd")) cap.hidden = !shown;
      if (shown && (cap.matches("kbd") || own.has(named.toLowerCase()))) cap.textContent = shown;
    }
    for (const each of document.querySelectorAll("[aria-keyshortcuts]:not([data-named])")) {
      const named = each.getAttribute("aria-keyshortcuts");
      if (!isSign(named)) continue;
      each.dataset.named = named;
      if (shownKey(named)) each.setAttribute("aria-keyshortcuts", shownKey(named));
      else each.removeAttribute("aria-keyshortcuts");
    }
  }
  tell();
  new MutationObserver(tell).observe(document.body, { childList: true, subtree: true });
})();
