// The connection badge, and the form for the token.
import type { Cockpit } from "../system/cockpit";
import { byId, h, setText, toggle } from "../ui/dom";

const TEXT = {
  connecting: "Connecting…",
  open: "Connected",
  waiting: "No connection, retrying",
};

export class Connection {
  private readonly badge = byId("connection");
  private readonly form: HTMLFormElement;
  /** The last accepted token; sent again after a reconnection. */
  private known: string | null = null;
  private readonly token = h("input", {
    type: "password",
    name: "token",
    autocomplete: "current-password",
    required: true,
    placeholder: "token",
    "aria-label": "Token",
  });

  constructor(private readonly cockpit: Cockpit) {
    this.form = h(
      "form",
      { class: "token", hidden: true },
      // Password managers need a user name.
      h("input", { type: "hidden", name: "username", autocomplete: "username", value: "sinew" }),
      h("span", {}, "Read-only. Enter the token to control the robot:"),
      this.token,
      h("button", { type: "submit", class: "small" }, "Unlock"),
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.unlock(this.token.value);
    });
    byId("notices").append(this.form);
    cockpit.onConnection.on(() => this.update());
    cockpit.onAdvertised.on(() => this.authorizeAgain());
    addEventListener("online", () => cockpit.client.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) {
        cockpit.client.retryNow();
      }
    });
    this.update();
  }

  /** Browsers never send the fragment `#token=…` to a server; the page sends it with the protocol. */
  private authorizeAgain(): void {
    if (!this.cockpit.needsToken || !this.cockpit.client.hasService("/sinew/authorize")) {
      return;
    }
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given !== null) {
      history.replaceState(null, "", location.pathname);
    }
    const token = given ?? this.known;
    if (token !== null) {
      void this.unlock(token);
    }
  }

  private async unlock(token: string): Promise<void> {
    try {
      await this.cockpit.authorize(token);
      this.known = token;
      this.token.value = "";
    } catch (error) {
      this.known = null;
      this.cockpit.onNotice.emit((error as Error).message);
    }
  }

  private update(): void {
    const { state } = this.cockpit.client;
    this.badge.dataset["state"] = state;
    setText(this.badge, TEXT[state]);
    document.body.classList.toggle("is-offline", state !== "open");
    toggle(this.form, state === "open" && this.cockpit.needsToken);
  }
}
