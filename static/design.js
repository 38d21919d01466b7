/* The preview of a design follows what is written here, while its window is open. */
(() => {
  "use strict";

  const button = document.querySelector("[formtarget=preview]");
  let preview = null;
  button?.addEventListener("click", () => { preview = window.open("", "preview"); });
  button?.form.addEventListener("change", () => {
    if (preview && !preview.closed && button.form.checkValidity()) button.form.requestSubmit(button);
  });
})();
