/* Says on the page that a security key was not used; the library's script only tells the console. */
(() => {
  "use strict";

  document.addEventListener("allauth.error", (event) => {
    event.preventDefault();
    document.getElementById("key-fault").hidden = false;
  });
})();
