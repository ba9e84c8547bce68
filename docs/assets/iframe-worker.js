// Browsers start no worker for pages opened from a file. This one runs the search in a hidden frame instead.
"use strict";
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.ready = new Promise((done) => {
        window.addEventListener("message", (event) => {
          if (event.source !== frame.contentWindow) return;
          if (event.data === "search ready") done(frame.contentWindow);
          else this.dispatchEvent(new MessageEvent("message", { data: event.data }));
        });
      });
      frame.srcdoc = `<script>postMessage = (data) => parent.window.dispatchEvent(new MessageEvent("message", { data, source: window }))<\/script>
        <script src="${url}"><\/script><script>postMessage("search ready")<\/script>`;
      document.documentElement.append(frame);
    }
    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
