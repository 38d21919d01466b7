/* Tells the browser's time zone, in which pages show times. Every page loads it but the labelling page, which is kept light. */
(() => {
  "use strict";
  const secure = location.protocol === "https:" ? "; secure" : "";
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.cookie = `time_zone=${zone}; path=/; max-age=31536000; samesite=lax${secure}`;
})();
