// What the cockpit knows: the deployment, the robot, the latest of every stream. Panels read it and
// listen to its signals; none of them talks to the connection's topics by itself without need.
import { Client, type Handler, PROTOCOLS, type Socket } from "../foxglove/client";
import { type ComponentInfo, findRoles, path, type Roles } from "./components";
import type { ServoHealth } from "./health";
import { History } from "./history";
import { groupJoints, type Limb, type LimbsAnswer, readLimbs } from "./limbs";
import { FREE, type Limits, readLimits } from "./limits";
import type {
  BalanceState,
  BatteryState,
  JointState,
  LimbState,
  LogLine,
  Outcome,
  Pose,
  ResourceAssignment,
  StopState,
} from "./messages";
import { PoseTrack, sameNames } from "./pose";
import { Signal } from "./signal";
import type { Timing } from "./timing";

const RETRY_MS = 2000;
const HISTORY_ROWS = 3600; // a minute at the 60 Hz that the server sends at most

export class Cockpit {
  readonly client: Client;
  roles: Roles = { controllers: [] };
  components: ComponentInfo[] = [];
  urdf = "";
  joints: string[] = [];
  private limits = new Map<string, Limits>();
  chains: Limb[] = [];
  limbs: Limb[] = [];
  resources: string[] = [];
  /** Some limb ends in something made to stand on. */
  isLegged = false;
  owners = new Map<string, string>();
  tips = new Map<string, Pose>();
  balance: BalanceState | undefined;
  battery: BatteryState | undefined;
  health: ServoHealth | undefined;
  stop: StopState | undefined;
  mayChange = true;
  needsToken = false;

  /** What is commanded; with efforts where inverse dynamics is part of the deployment. */
  readonly desired = new PoseTrack();
  readonly efforts = new PoseTrack();
  readonly measured = new PoseTrack();
  readonly residual = new PoseTrack();
  readonly history = new History(HISTORY_ROWS);

  readonly onConnection = new Signal();
  /** Channels or services came or went. */
  readonly onOffer = new Signal();
  readonly onRoles = new Signal();
  readonly onRobot = new Signal();
  readonly onLimbs = new Signal();
  readonly onOwners = new Signal();
  readonly onPose = new Signal();
  readonly onBalance = new Signal();
  readonly onHealth = new Signal();
  readonly onStop = new Signal();
  readonly onTiming = new Signal<Timing>();
  readonly onLog = new Signal<LogLine>();
  /** The pose that a controller wants its source to adopt, while it does not listen yet. */
  readonly onReset = new Signal<JointState>();
  /** Something to say to the user. */
  readonly onNotice = new Signal<string>();

  private wires: (() => void)[] = [];
  private wiring = "";
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(open: () => Socket) {
    this.client = new Client({ open });
    this.client.onState = (state) => {
      if (state === "waiting") {
        this.forget();
      }
      this.onConnection.emit();
    };
    this.client.onInfo = () => this.begin();
    this.client.onOffer = () => {
      void this.learn();
      this.onOffer.emit();
    };
    this.client.onStatus = (level, message) => {
      if (level >= 1) {
        this.onNotice.emit(message);
      }
    };
    this.client.subscribe<{ components: ComponentInfo[] }>("/sinew/components", (message) =>
      this.takeComponents(message.components),
    );
    this.client.subscribe<Timing>("/sinew/timing", (message) => this.onTiming.emit(message));
    this.client.subscribe<LogLine>("/sinew/log", (line) => this.onLog.emit(line));
  }

  static connect(host: string, secure: boolean): Cockpit {
    const url = `${secure ? "wss" : "ws"}://${host}/`;
    return new Cockpit(() => new WebSocket(url, PROTOCOLS) as unknown as Socket);
  }

  // ---- a connection begins, and ends ----

  private begin(): void {
    const metadata = this.client.info?.metadata ?? {};
    this.mayChange = metadata["may_change"] !== "false";
    this.needsToken = !this.mayChange;
    void this.loadRobot();
    this.onConnection.emit();
  }

  private forget(): void {
    this.stop = undefined;
    this.balance = undefined;
    this.health = undefined;
    this.owners.clear();
    this.tips.clear();
    this.measured.forget();
    this.residual.forget();
    this.onStop.emit();
    this.onOwners.emit();
  }

  private async loadRobot(): Promise<void> {
    const answer = await fetch("/robot.urdf").catch(() => undefined);
    const text = answer?.ok ? await answer.text() : "";
    if (text !== "" && text !== this.urdf) {
      this.urdf = text;
      this.limits = readLimits(text);
      this.onRobot.emit();
    }
  }

  async authorize(token: string): Promise<void> {
    const answer = await this.client.call<{ may_change: boolean }>("/sinew/authorize", { token });
    this.mayChange = answer.may_change;
    this.needsToken = !answer.may_change;
    this.onConnection.emit();
  }

  // ---- the deployment ----

  private takeComponents(components: ComponentInfo[]): void {
    this.components = components;
    this.roles = findRoles(components);
    const wiring = JSON.stringify(
      Object.values(this.roles)
        .flat()
        .map((c: ComponentInfo) => c.name),
    );
    if (wiring !== this.wiring) {
      this.wiring = wiring;
      this.wires.forEach((end) => end());
      this.wires = [];
      this.wire();
      void this.learn();
    }
    this.onRoles.emit();
  }

  private hear<T>(component: ComponentInfo | undefined, port: string, handler: Handler<T>): void {
    if (component !== undefined) {
      this.wires.push(this.client.subscribe(path(component, port), handler));
    }
  }

  private wire(): void {
    const { roles } = this;
    this.hear<JointState>(roles.aggregator, "joints_sorted", (message, timeNs) =>
      this.takePose(message, timeNs),
    );
    this.hear<JointState>(roles.dynamics, "joints_effort", (m, t) => this.efforts.take(m, t));
    this.hear<JointState>(roles.measured, "joints_measured", (m, t) => this.measured.take(m, t));
    this.hear<JointState>(roles.ident, "torque_error_sorted", (m, t) => this.residual.take(m, t));
    this.hear<BatteryState>(roles.measured, "battery_state", (message) => {
      this.battery = message;
    });
    this.hear<ServoHealth>(roles.health, "health", (message) => {
      this.health = message;
      this.onHealth.emit();
    });
    this.hear<LimbState>(roles.forward, "limbs", (message) => {
      message.name.forEach((name, i) => this.tips.set(name, message.pose[i]!));
    });
    this.hear<BalanceState>(roles.dynamics, "balance", (message) => {
      this.balance = message;
      this.onBalance.emit();
    });
    this.hear<ResourceAssignment>(roles.arbiter, "assignment", (m) => this.takeOwners(m));
    this.hear<StopState>(roles.aggregator, "stop", (message) => this.takeStop(message));
    this.hear<JointState>(roles.sliders, "out_joints_src_reset", (m) => this.onReset.emit(m));
  }

  /** What is asked for, not streamed. Each answer is of use without the others; what failed is asked
   *  for again as long as there is a connection. */
  private async learn(): Promise<void> {
    const { arbiter, aggregator, robotModel } = this.roles;
    clearTimeout(this.again);
    const isComplete = await Promise.all([
      this.ask<ResourceAssignment>(arbiter, "getOwners", {}, (m) => this.takeOwners(m)),
      this.ask<StopState>(aggregator, "getStop", {}, (m) => this.takeStop(m)),
      this.ask<LimbsAnswer>(robotModel, "listLimbs", {}, (m) => this.takeLimbs(m)),
    ]);
    if (isComplete.includes(false) && this.client.state === "open") {
      clearTimeout(this.again);
      this.again = setTimeout(() => void this.learn(), RETRY_MS);
    }
  }

  /** @return false if there was no answer; true also if there is nobody to ask */
  private async ask<T>(
    component: ComponentInfo | undefined,
    operation: string,
    request: object,
    use: (answer: T) => void,
  ): Promise<boolean> {
    if (component === undefined || !this.client.hasService(path(component, operation))) {
      return true;
    }
    try {
      use(await this.client.call<T>(path(component, operation), request));
      return true;
    } catch {
      return false; // the connection is gone, or the component does not run yet
    }
  }

  private takeLimbs(answer: LimbsAnswer): void {
    this.chains = readLimbs(answer);
    this.isLegged = answer.contacts.some((contact) => contact !== "");
    this.regroup();
  }

  private regroup(): void {
    this.limbs = groupJoints(this.joints, this.chains, this.resources);
    this.onLimbs.emit();
  }

  // ---- streams ----

  private takePose(message: JointState, timeNs: bigint): void {
    this.desired.take(message, timeNs);
    if (!sameNames(message.name, this.joints)) {
      this.joints = message.name;
      this.history.reset(message.name);
      this.regroup();
    }
    this.history.push(Number(timeNs) * 1e-9, (joint, signal) => {
      switch (signal) {
        case "reference":
          return this.desired.positionOf(joint);
        case "measured":
          return this.measured.positionOf(joint);
        case "effort":
          return this.efforts.effortOf(joint);
        case "effortMeasured":
          return this.measured.effortOf(joint);
        case "residual":
          return this.residual.effortOf(joint);
      }
    });
    this.onPose.emit();
  }

  private takeOwners(message: ResourceAssignment): void {
    const isOther = !sameNames(message.resources, this.resources);
    this.resources = message.resources;
    this.owners = new Map(message.resources.map((name, i) => [name, message.owners[i] ?? ""]));
    if (isOther) {
      this.regroup();
    }
    this.onOwners.emit();
  }

  private takeStop(message: StopState): void {
    this.stop = message;
    this.onStop.emit();
  }

  // ---- what the user does ----

  limitsOf(joint: string): Limits {
    return this.limits.get(joint) ?? FREE;
  }

  ownerOf(limb: string): string {
    return this.owners.get(limb) ?? "";
  }

  ownedBy(controller: string): string[] {
    return this.resources.filter((name) => this.owners.get(name) === controller);
  }

  /** @return whether it worked; if not, the user has been told why */
  async do(component: ComponentInfo, operation: string, request: object = {}): Promise<boolean> {
    try {
      const answer = await this.client.call<Partial<Outcome>>(path(component, operation), request);
      if (answer.success === false) {
        this.onNotice.emit(answer.message || `${component.name} refuses ${operation}`);
      }
      return answer.success !== false;
    } catch (error) {
      this.onNotice.emit((error as Error).message);
      return false;
    }
  }

  take(controller: ComponentInfo, limbs: string[]): Promise<boolean> {
    const resources = [...new Set([...this.ownedBy(controller.name), ...limbs])];
    return this.do(controller, "setOperational", { operational: true, resources });
  }

  release(controller: ComponentInfo, limbs: string[]): Promise<boolean> {
    const resources = this.ownedBy(controller.name).filter((name) => !limbs.includes(name));
    const operational = resources.length > 0;
    return this.do(controller, "setOperational", { operational, resources });
  }
}
