// The header turns yellow when the computer does not keep up with the robot's cycle.
import type { Cockpit } from "../system/cockpit";
import { overload } from "../system/timing";
import { byId, setText, toggle } from "../ui/dom";

export class OverloadNote {
  private readonly note = byId("overload");

  constructor(cockpit: Cockpit) {
    this.note.title =
      "The computer does not keep up with the control cycle, in the last second. The System tab has details.";
    cockpit.onTiming.on((timing) => this.show(overload(timing)));
    cockpit.onConnection.on(() => {
      if (cockpit.client.state !== "open") {
        this.show(""); // not known
      }
    });
  }

  private show(text: string): void {
    setText(this.note, text === "" ? "" : `Too slow – ${text}`);
    toggle(this.note, text !== "");
    byId("bar").classList.toggle("is-late", text !== "");
  }
}
