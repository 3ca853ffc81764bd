// Code to copy; addresses of files beside the page become those that the site has here.

for (const code of document.querySelectorAll("[data-copied]")) {
  const page = location.href.split(/[?#]/)[0];
  if ("relative" in code.dataset && location.protocol.startsWith("http")) {
    code.textContent = code.textContent.replace(/\(([\w-]+\.(?:svg|html))\)/g, (_, file) => `(${new URL(file, page)})`);
  }
  const button = made("button", { type: "button", class: "mr-button" }, "Copy");
  button.addEventListener("click", async () => {
    await copyText(code.textContent);
    button.textContent = "Copied";
  });
  const frame = code.closest(".mr-code");
  (frame.querySelector(".mr-buttons") ?? frame).append(button);
}
