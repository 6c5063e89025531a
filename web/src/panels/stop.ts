// The emergency stop: always in view, always the same key, and always told who, why and how to go on.
import type { Cockpit } from "../system/cockpit";
import { path } from "../system/components";
import { seconds } from "../system/messages";
import { byId, h, setText, toggle } from "../ui/dom";

const TEXT_FIELDS = new Set(["text", "number", "search", "password", "email", "url", "tel"]);

/** Is the user writing something? Then a space is a space. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) {
    return false;
  }
  return (
    (target instanceof HTMLInputElement && TEXT_FIELDS.has(target.type)) ||
    target instanceof HTMLTextAreaElement ||
    target.isContentEditable
  );
}

function nameOfBrowser(): string {
  const found = /(Firefox|Edg|Chrome|Safari)\//.exec(navigator.userAgent)?.[1] ?? "browser";
  return { Edg: "Edge" }[found] ?? found;
}

function age(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  return s < 60 ? `${s} s ago` : `${Math.floor(s / 60)} min ago`;
}

export class StopPanel {
  private readonly button = byId<HTMLButtonElement>("stop");
  private readonly banner = byId("stopped");
  private readonly title = h("strong", {});
  private readonly detail = h("span", {});
  private readonly since = h("span", { class: "quiet" });
  private readonly how = h("p", {});
  private readonly resume = h("button", { type: "button", id: "resume" }, "Resume");
  private isPending = false;
  private readonly me = `cockpit (${nameOfBrowser()})`;

  constructor(private readonly cockpit: Cockpit) {
    // What is spoken is in the first part; the age, which changes, is not.
    this.banner.append(
      h("div", { role: "alert", "aria-live": "assertive" }, this.title, " ", this.detail, this.how),
      this.since,
      this.resume,
    );
    this.button.title = "Emergency stop: brake all joints and hold them (space bar)";
    this.button.addEventListener("click", () => this.stop("the button was pressed"));
    this.resume.addEventListener("click", () => void this.goOn());
    addEventListener("keydown", (event) => this.key(event, true), { capture: true });
    addEventListener("keyup", (event) => this.key(event, false), { capture: true });
    cockpit.onStop.on(() => this.update());
    cockpit.onConnection.on(() => this.update());
    cockpit.onRoles.on(() => {
      this.sendPending();
      this.update();
    });
    setInterval(() => this.updateAge(), 1000);
    this.update();
  }

  private key(event: KeyboardEvent, isDown: boolean): void {
    if (event.code !== "Space" || isTyping(event.target)) {
      return;
    }
    event.preventDefault(); // else the button that has the focus is pressed too
    event.stopPropagation();
    if (isDown && !event.repeat) {
      this.stop("the space bar was pressed");
    }
  }

  private stop(why: string): void {
    const { aggregator } = this.cockpit.roles;
    const isReady = aggregator !== undefined && this.cockpit.client.state === "open";
    if (!isReady) {
      this.isPending = true;
      this.update();
      return;
    }
    this.isPending = false;
    this.cockpit.client
      .call(path(aggregator, "emergencyStop"), { who: this.me, why })
      .catch((error: Error) => {
        this.cockpit.onNotice.emit(`The stop was not taken: ${error.message}`);
      });
  }

  private sendPending(): void {
    if (this.isPending) {
      this.stop("stopped while there was no connection");
    }
  }

  private async goOn(): Promise<void> {
    const { aggregator } = this.cockpit.roles;
    if (this.isPending) {
      this.isPending = false;
      this.update();
    } else if (aggregator !== undefined) {
      await this.cockpit.do(aggregator, "resume", { name: this.me });
    }
  }

  private update(): void {
    const { stop } = this.cockpit;
    const isStopped = stop?.stopped === true;
    toggle(this.banner, isStopped || this.isPending);
    document.body.classList.toggle("is-stopped", isStopped);
    this.button.setAttribute("aria-pressed", String(isStopped));
    if (this.isPending) {
      setText(this.title, "Stop not sent");
      setText(this.detail, "There is no connection to the robot.");
      setText(
        this.how,
        "It is sent as soon as there is one. Use the robot's own switch meanwhile.",
      );
      setText(this.resume, "Withdraw");
      setText(this.since, "");
    } else if (isStopped) {
      setText(this.title, "Stopped");
      setText(this.detail, `by ${stop.who || "somebody"}${stop.why ? `: ${stop.why}` : ""}`);
      setText(
        this.how,
        this.cockpit.mayChange
          ? "All joints are held. Make sure that nobody is in reach, then resume: nothing moves until it is told to."
          : "All joints are held. Whoever knows the token can resume.",
      );
      setText(this.resume, "Resume");
      this.resume.disabled = !this.cockpit.mayChange;
      this.updateAge();
    }
  }

  private updateAge(): void {
    const { stop, client } = this.cockpit;
    if (stop?.stopped) {
      setText(this.since, age(Number(client.timeNs / 1000000n) - 1000 * seconds(stop.since)));
    }
  }
}
