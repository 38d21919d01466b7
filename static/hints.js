/* The training: its bar keeps its height, and hints come one at a time. Each goes for good once what it names was done,
   by key or by hand. */
(() => {
  "use strict";

  // What is known stands in a bar as high as the one that asked, under a line as high: the picture keeps its place.
  const places = [document.getElementById("decide"), document.querySelector(".hints")];
  const isTold = places[0].matches(".is-told");
  const kept = JSON.parse(sessionStorage.getItem("training:heights") ?? "[]");
  if (isTold) places.forEach((place, number) => { place.style.minBlockSize = `${kept[number] ?? 0}px`; });
  document.addEventListener("submit", () => {
    if (isTold) return;
    const heights = places.map((place) => place.getBoundingClientRect().height);
    sessionStorage.setItem("training:heights", JSON.stringify(heights));
  });

  const list = document.getElementById("hints");
  if (!list) return;
  const place = `hints:${list.dataset.of}`;
  const done = new Set(JSON.parse(localStorage.getItem(place) ?? "[]"));

  function show() {
    const open = [...list.children].filter((hint) => !done.has(hint.dataset.hint));
    for (const hint of list.children) hint.hidden = hint !== open[0];
  }

  function finish(name) {
    done.add(name);
    localStorage.setItem(place, JSON.stringify([...done]));
    show();
  }

  const picture = document.getElementById("picture");
  if (picture) {
    new MutationObserver(() => { if (!picture.classList.contains("is-hidden")) finish("look"); })
      .observe(picture, { attributeFilter: ["class"] });
  }
  document.addEventListener("change", ({ target }) => {
    if (["category", "categories"].includes(target.name)) finish("choose");
  });
  document.addEventListener("submit", ({ target }) => { if (target.id === "answer") finish("answer"); });
  document.addEventListener("click", ({ target }) => { if (target.closest("[data-drawer]")) finish("guidelines"); });
  show();
})();
