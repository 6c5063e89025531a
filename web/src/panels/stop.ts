// The emergency stop: always visible, always the same key. The banner shows who stopped the robot, why, and how to resume.
import type { Cockpit } from "../system/cockpit";
import { path, propertyOf } from "../system/components";
import { seconds } from "../system/messages";
import { byId, h, setText, toggle } from "../ui/dom";
import { isTyping } from "../ui/typing";

const ANSWER_MS = 2000; // the server confirms a stop within 100 ms, or reports what did not obey
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
  /** Why the last stop was not confirmed; empty if it was. */
  private failure = "";
  private readonly me = `cockpit (${nameOfBrowser()})`;

  constructor(private readonly cockpit: Cockpit) {
    // Screen readers announce the first part, but not the age, which changes every second.
    this.banner.append(
      h("div", { role: "alert", "aria-live": "assertive" }, this.title, " ", this.detail, this.how),
      this.since,
      this.resume,
    );
    this.button.title = "Emergency stop: brake all joints and hold them (space bar)";
    this.button.addEventListener("click", () => this.stop("the button was pressed"));
    this.resume.addEventListener("click", () => void this.resumeMotion());
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
    const isPlayed = this.cockpit.client.recording !== undefined; // there is nothing to stop
    if (event.code !== "Space" || isTyping(event.target) || isPlayed) {
      return;
    }
    event.preventDefault(); // otherwise it also presses the focused button
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
      .call(path(aggregator, "emergencyStop"), { who: this.me, why }, ANSWER_MS)
      .then(() => this.confirm(""))
      .catch((error: Error) => this.confirm(error.message));
  }

  private confirm(failure: string): void {
    this.failure = failure;
    this.update();
  }

  private sendPending(): void {
    if (this.isPending) {
      this.stop("pressed while there was no connection");
    }
  }

  private async resumeMotion(): Promise<void> {
    const { aggregator } = this.cockpit.roles;
    if (this.isPending) {
      this.isPending = false;
      this.update();
    } else if (this.cockpit.stop?.stopped !== true) {
      this.confirm(""); // nothing to resume
    } else if (aggregator !== undefined) {
      const isResumed = await this.cockpit.do(aggregator, "resume", { name: this.me });
      this.confirm(isResumed ? "" : this.failure);
    }
  }

  /** A fall makes the joints limp if the deployment says so. */
  private get isLimp(): boolean {
    const { fall } = this.cockpit.roles;
    return this.cockpit.stop?.who === fall?.name && propertyOf(fall, "reaction") === "limp";
  }

  private update(): void {
    toggle(this.button, this.cockpit.client.recording === undefined);
    const { stop } = this.cockpit;
    const isStopped = stop?.stopped === true;
    toggle(this.banner, isStopped || this.isPending || this.failure !== "");
    document.body.classList.toggle("is-stopped", isStopped);
    this.button.setAttribute("aria-pressed", String(isStopped));
    this.resume.disabled = isStopped && !this.cockpit.mayChange;
    if (this.isPending) {
      this.say(
        "Stop not sent",
        "Not connected to the robot.",
        "It will be sent when the connection is back. Until then use the robot's power switch.",
        "Cancel",
      );
    } else if (this.failure !== "") {
      this.say(
        "Stop not confirmed",
        this.failure,
        "Use the robot's power switch, or press the stop again.",
        isStopped ? "Resume" : "Dismiss",
      );
    } else if (isStopped) {
      const state = this.isLimp ? "All joints are limp." : "All joints hold their positions.";
      this.say(
        "Stopped",
        `by ${stop.who || "an unknown client"}${stop.why ? `: ${stop.why}` : ""}`,
        this.cockpit.mayChange
          ? `${state} Make sure that no one is within reach, then resume. Nothing moves until a new command arrives.`
          : `${state} Enter the token to resume.`,
        "Resume",
      );
    }
    this.updateAge();
  }

  private say(title: string, detail: string, how: string, action: string): void {
    setText(this.title, title);
    setText(this.detail, detail);
    setText(this.how, how);
    setText(this.resume, action);
  }

  private updateAge(): void {
    const { stop, client } = this.cockpit;
    if (!stop?.stopped) {
      setText(this.since, "");
    } else {
      setText(this.since, age(Number(client.timeNs / 1000000n) - 1000 * seconds(stop.since)));
    }
  }
}
