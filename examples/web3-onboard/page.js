/** Shows a text in the element with this id. */
export function show(id, text) {
  document.getElementById(id).textContent = text;
}

/** Runs the action when the button with this id is pressed, and shows why it failed. */
export function on(id, action) {
  document.getElementById(id).onclick = async () => {
    show('error', '');
    try {
      await action();
    } catch (error) {
      show('error', error.shortMessage ?? error.message);
    }
  };
}

/** Once an account is connected, it can sign and pay. */
export function enableButtons() {
  for (const id of ['sign', 'pay']) document.getElementById(id).disabled = false;
}
