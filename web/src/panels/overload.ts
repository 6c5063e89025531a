// The header turns yellow when the computer loses control cycles.
import type { Cockpit } from "../system/cockpit";
import { overload } from "../system/timing";
import { byId, setText, toggle } from "../ui/dom";

export class OverloadNote {
  private readonly note = byId("overload");

  constructor(cockpit: Cockpit) {
    this.note.title =
      "The computer was too slow for the control cycle in the last second. See the System tab for details.";
    cockpit.onTiming.on((timing) =>
      this.show(cockpit.client.recording === undefined ? overload(timing) : ""),
    );
    cockpit.onConnection.on(() => {
      if (cockpit.client.state !== "open") {
        this.show(""); // unknown
      }
    });
  }

  private show(text: string): void {
    setText(this.note, text === "" ? "" : `Overloaded – ${text}`);
    toggle(this.note, text !== "");
    byId("bar").classList.toggle("is-late", text !== "");
  }
}
