// The library of movements of the robot: what it holds, what is played or recorded.
import type { Cockpit } from "./cockpit";
import { path } from "./components";
import { Signal } from "./signal";

const BUSY_MS = 250; // between questions about the state
const IDLE_MS = 2000;

export interface Movement {
  name: string;
  kind: string;
  /** s; 0: unknown before it is played */
  duration: number;
}

/** Whether the robot goes to a pose: one of the library, or one that is stated with the robot. */
export const isPose = ({ kind }: Movement): boolean => kind === "joint_state" || isStated({ kind });

/** A pose of the robot's property file, or of its SRDF: it is not removed here. */
export const isStated = ({ kind }: Pick<Movement, "kind">): boolean => kind === "pose";

export interface MovementState {
  state: "idle" | "playing" | "recording";
  name: string;
  kind: string;
  elapsed: number;
  duration: number;
  success: boolean;
  message: string;
}

interface MovementList {
  name: string[];
  kind: string[];
  duration: number[];
}

export class Movements {
  list: Movement[] = [];
  state: MovementState | undefined;
  /** Why the last request failed, in the words of the server. */
  failure = "";
  readonly onChange = new Signal();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isListed = false;

  /** @param isWatched  whether the user sees the list */
  constructor(
    private readonly cockpit: Cockpit,
    private readonly isWatched: () => boolean,
  ) {
    cockpit.onRoles.on(() => this.begin());
    cockpit.onAdvertised.on(() => this.begin());
  }

  get isBusy(): boolean {
    return this.state !== undefined && this.state.state !== "idle";
  }

  /** The first attempts may come before the server has told which services it has. */
  private begin(): void {
    if (this.timer === undefined || !this.isListed) {
      void this.refresh();
    }
  }

  /** Read the list and the state, now and repeatedly. */
  async refresh(): Promise<void> {
    await this.readList();
    await this.readState();
    this.schedule();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.poll(), this.isBusy ? BUSY_MS : IDLE_MS);
  }

  private async poll(): Promise<void> {
    const wasBusy = this.isBusy;
    if (wasBusy || this.isWatched()) {
      await this.readState();
    }
    if (wasBusy && !this.isBusy) {
      await this.readList();
    }
    this.schedule();
  }

  private async read<T>(operation: string): Promise<T | undefined> {
    const { movements } = this.cockpit.roles;
    if (movements === undefined || !this.cockpit.client.hasService(path(movements, operation))) {
      return undefined;
    }
    return this.cockpit.client.call<T>(path(movements, operation)).catch(() => undefined);
  }

  private async readList(): Promise<void> {
    const answer = await this.read<MovementList>("listMovements");
    if (answer !== undefined) {
      this.isListed = true;
      this.list = answer.name.map((name, i) => ({
        name,
        kind: answer.kind[i] ?? "",
        duration: answer.duration[i] ?? 0,
      }));
      this.onChange.emit();
    }
  }

  private async readState(): Promise<void> {
    const answer = await this.read<MovementState>("getMovement");
    if (answer !== undefined) {
      this.state = answer;
      this.onChange.emit();
    }
  }

  private async request(operation: string, request: object = {}): Promise<boolean> {
    const { movements } = this.cockpit.roles;
    if (movements === undefined) {
      return false;
    }
    this.failure = await this.cockpit.request(movements, operation, request);
    await this.refresh();
    return this.failure === "";
  }

  play(name: string): Promise<boolean> {
    return this.request("playMovement", { name });
  }

  stop(): Promise<boolean> {
    return this.request("stopMovement");
  }

  /** Make these limbs limp and record how people move them; none: all. */
  record(name: string, resources: string[]): Promise<boolean> {
    return this.request("recordMovement", { name, resources });
  }

  save(): Promise<boolean> {
    return this.request("saveRecording");
  }

  drop(): Promise<boolean> {
    return this.request("dropRecording");
  }

  savePose(name: string): Promise<boolean> {
    return this.request("savePose", { name });
  }

  removePose(name: string): Promise<boolean> {
    return this.request("removePose", { name });
  }
}
