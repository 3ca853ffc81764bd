// The Markdown of a model's badge, with the addresses that the site has here, to copy.

for (const code of document.querySelectorAll("code[data-relative]")) {
  const page = location.href.split(/[?#]/)[0];
  if (location.protocol.startsWith("http")) {
    code.textContent = code.textContent.replace(/\((badge\.svg|index\.html)\)/g, (_, file) => `(${new URL(file, page)})`);
  }
  const button = made("button", { type: "button", class: "mr-button" }, "Copy");
  button.addEventListener("click", async () => {
    await copyText(code.textContent);
    button.textContent = "Copied";
  });
  code.after(" ", button);
}
