// The state of the page: the deployment, the robot, the latest message of every stream. Panels read it
// and listen to its signals.
import { Client, PROTOCOLS } from "../foxglove/client";
import { type Defer, inNextTask } from "../foxglove/inbox";
import type { Socket } from "../foxglove/socket";
import type { Handler } from "../foxglove/subscriptions";
import type { PlaybackState } from "../foxglove/wire";
import { type ComponentInfo, findRoles, path, type Roles } from "./components";
import { ORIGIN } from "./geometry";
import type { ServoHealth } from "./health";
import { History } from "./history";
import { groupJoints, type Limb, type LimbsAnswer, readLimbs } from "./limbs";
import { enforcedLimits, type Limits, readLimits } from "./limits";
import type {
  BalanceState,
  BatteryState,
  FallState,
  JointState,
  LimbState,
  LogLine,
  Outcome,
  Pose,
  ResourceAssignment,
  RigidBodyState,
  StopState,
  Twist,
} from "./messages";
import { PoseTrack, sameNames } from "./pose";
import { Signal } from "./signal";
import type { Timing } from "./timing";

const RETRY_MS = 2000;
const HISTORY_ROWS = 3600; // one minute at 60 Hz, the server's maximum

export class Cockpit {
  readonly client: Client;
  roles: Roles = { controllers: [], movers: [], joggers: [], calibrators: [] };
  components: ComponentInfo[] = [];
  urdf = "";
  joints: string[] = [];
  limits: ReadonlyMap<string, Limits> = new Map<string, Limits>();
  chains: Limb[] = [];
  limbs: Limb[] = [];
  resources: string[] = [];
  /** At least one limb has a contact, such as a foot. */
  isLegged = false;
  owners = new Map<string, string>();
  tips = new Map<string, Pose>();
  /** Limbs that may touch the ground. */
  feet: string[] = [];
  /** The base in the world: the truth of a simulation, else an estimate, else as commanded. */
  base: Pose = ORIGIN;
  /** Where it comes from; "" if it is not known. */
  baseFrom: "" | "command" | "estimate" | "truth" = "";
  /** The base as the controller of the stance commands it; undefined while it is not active. */
  command: Pose | undefined;
  /** Of the base in the world, from the same source; undefined if it is not known. */
  velocity: Twist | undefined;
  forces: RigidBodyState | undefined;
  /** Where the feet go next, in the world. */
  footholds: RigidBodyState | undefined;
  fall: FallState | undefined;
  balance: BalanceState | undefined;
  battery: BatteryState | undefined;
  health: ServoHealth | undefined;
  stop: StopState | undefined;
  mayChange = true;
  needsToken = false;

  /** The commanded pose. */
  readonly desired = new PoseTrack();
  readonly efforts = new PoseTrack();
  readonly measured = new PoseTrack();
  readonly residual = new PoseTrack();
  readonly history = new History(HISTORY_ROWS);

  readonly onConnection = new Signal();
  /** The channels or services of the server changed. */
  readonly onAdvertised = new Signal();
  readonly onRoles = new Signal();
  readonly onRobot = new Signal();
  readonly onLimbs = new Signal();
  readonly onOwners = new Signal();
  readonly onPose = new Signal();
  readonly onBase = new Signal();
  readonly onFall = new Signal();
  readonly onBalance = new Signal();
  readonly onHealth = new Signal();
  readonly onStop = new Signal();
  readonly onPlayback = new Signal<PlaybackState>();
  readonly onTiming = new Signal<Timing>();
  readonly onLog = new Signal<LogLine>();
  /** The pose that sliders must adopt while a controller takes over a limb. */
  readonly onReset = new Signal<JointState>();
  /** A message for the user. */
  readonly onNotice = new Signal<string>();

  private subscriptions: (() => void)[] = [];
  private roleNames = "";
  private poseNs = 0n;
  private retry: ReturnType<typeof setTimeout> | undefined;

  constructor(open: () => Socket, defer?: Defer) {
    this.client = new Client({ open }, defer);
    this.client.onState = (state) => {
      if (state === "waiting") {
        this.clearState();
      }
      this.onConnection.emit();
    };
    this.client.onInfo = () => this.begin();
    this.client.onPlayback = (state) => this.onPlayback.emit(state);
    this.client.onAdvertised = () => {
      void this.fetchState();
      this.onAdvertised.emit();
    };
    this.client.onStatus = (level, message) => {
      if (level >= 1) {
        this.onNotice.emit(message);
      }
    };
    this.client.subscribe<{ components: ComponentInfo[] }>("/sinew/components", (message) =>
      this.takeComponents(message.components),
    );
    this.client.subscribe<Timing>("/sinew/timing", (timing) => this.onTiming.emit(timing));
    this.client.subscribe<LogLine>("/sinew/log", (line) => this.onLog.emit(line));
  }

  static connect(host: string, secure: boolean): Cockpit {
    const url = `${secure ? "wss" : "ws"}://${host}/`;
    return new Cockpit(() => new WebSocket(url, PROTOCOLS) as unknown as Socket, inNextTask());
  }

  // ---- connection ----

  private begin(): void {
    const metadata = this.client.info?.metadata ?? {};
    this.mayChange = metadata["may_change"] !== "false";
    this.needsToken = !this.mayChange;
    void this.loadRobot();
    this.onConnection.emit();
  }

  private clearState(): void {
    this.stop = undefined;
    this.balance = undefined;
    this.forces = undefined;
    this.footholds = undefined;
    this.fall = undefined;
    this.base = ORIGIN;
    this.velocity = undefined;
    this.baseFrom = "";
    this.command = undefined;
    this.health = undefined;
    this.owners.clear();
    this.tips.clear();
    this.measured.forget();
    this.residual.forget();
    this.onStop.emit();
    this.onFall.emit();
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
    const roleNames = JSON.stringify(
      Object.values(this.roles)
        .flat()
        .map((c: ComponentInfo) => c.name),
    );
    if (roleNames !== this.roleNames) {
      this.roleNames = roleNames;
      this.subscriptions.forEach((unsubscribe) => unsubscribe());
      this.subscriptions = [];
      this.subscribe();
      void this.fetchState();
    }
    this.onRoles.emit();
  }

  private listen<T>(component: ComponentInfo | undefined, port: string, handler: Handler<T>): void {
    if (component !== undefined) {
      this.subscriptions.push(this.client.subscribe(path(component, port), handler));
    }
  }

  private subscribe(): void {
    const { roles } = this;
    this.listen<JointState>(roles.command, "joints_sorted", (m, t) => this.takePose(m, t));
    this.listen<JointState>(roles.dynamics, "joints_effort", (m, t) => this.efforts.take(m, t));
    this.listen<JointState>(roles.measured, "joints_measured", (m, t) => this.measured.take(m, t));
    this.listen<JointState>(roles.ident, "torque_error_sorted", (m, t) => this.residual.take(m, t));
    this.listen<BatteryState>(roles.measured, "battery_state", (message) => {
      this.battery = message;
    });
    this.listen<ServoHealth>(roles.health, "health", (message) => {
      this.health = message;
      this.onHealth.emit();
    });
    this.listen<LimbState>(roles.forward, "limbs", (message) => {
      message.name.forEach((name, i) => this.tips.set(name, message.pose[i]!));
    });
    this.listen<BalanceState>(roles.dynamics, "balance", (message) => {
      this.balance = message;
      this.onBalance.emit();
    });
    this.listen<RigidBodyState>(roles.base, "out_base", (m) => this.takeBase(m, "estimate"));
    this.listen<RigidBodyState>(roles.truth, "base_truth", (m) => this.takeBase(m, "truth"));
    this.listen<RigidBodyState>(roles.stance, "out_base_ref", (m) => this.takeBase(m, "command"));
    this.listen<RigidBodyState>(roles.forces, "contact_forces", (message) => {
      this.forces = message;
      this.onBase.emit();
    });
    this.listen<RigidBodyState>(roles.walk, "footholds", (message) => {
      this.footholds = message;
      this.onBase.emit();
    });
    this.listen<FallState>(roles.fall, "fall", (message) => {
      this.fall = message;
      this.onFall.emit();
    });
    this.listen<ResourceAssignment>(roles.arbiter, "assignment", (m) => this.takeOwners(m));
    this.listen<StopState>(roles.aggregator, "stop", (message) => this.takeStop(message));
    this.listen<JointState>(roles.sliders, "out_joints_src_reset", (m) => this.onReset.emit(m));
  }

  /** Fetch what is not streamed. Answers are independent; failed calls are repeated while there is a
   *  connection. */
  private async fetchState(): Promise<void> {
    const { arbiter, aggregator, robotModel } = this.roles;
    clearTimeout(this.retry);
    const isComplete = await Promise.all([
      this.ask<ResourceAssignment>(arbiter, "getOwners", {}, (m) => this.takeOwners(m)),
      this.ask<StopState>(aggregator, "getStop", {}, (m) => this.takeStop(m)),
      this.ask<LimbsAnswer>(robotModel, "listLimbs", {}, (m) => this.takeLimbs(m)),
    ]);
    if (isComplete.includes(false) && this.client.state === "open") {
      clearTimeout(this.retry);
      this.retry = setTimeout(() => void this.fetchState(), RETRY_MS);
    }
  }

  /** @return false if the call failed; true also if the operation does not exist */
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
      return false; // no connection, or the component does not run yet
    }
  }

  private takeLimbs(answer: LimbsAnswer): void {
    this.chains = readLimbs(answer);
    this.feet = answer.chains.filter((_, i) => (answer.contacts[i] ?? "") !== "");
    this.isLegged = this.feet.length > 0;
    this.regroup();
  }

  private regroup(): void {
    this.limbs = groupJoints(this.joints, this.chains, this.resources);
    this.onLimbs.emit();
  }

  // ---- streams ----

  private takePose(message: JointState, timeNs: bigint): void {
    this.desired.take(message, timeNs);
    const hasGoneBack = timeNs < this.poseNs; // in a recording
    this.poseNs = timeNs;
    if (hasGoneBack || !sameNames(message.name, this.joints)) {
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

  /** What is known better wins. */
  private takeBase(message: RigidBodyState, from: Exclude<Cockpit["baseFrom"], "">): void {
    const rank = ["", "command", "estimate", "truth"];
    const pose = message.pose[0];
    this.command = from === "command" ? pose : this.command;
    if (pose !== undefined && rank.indexOf(from) >= rank.indexOf(this.baseFrom)) {
      this.base = pose;
      this.velocity = message.twist[0];
      this.baseFrom = from;
      this.onBase.emit();
    }
  }

  private takeOwners(message: ResourceAssignment): void {
    const hasChanged = !sameNames(message.resources, this.resources);
    this.resources = message.resources;
    this.owners = new Map(message.resources.map((name, i) => [name, message.owners[i] ?? ""]));
    if (hasChanged) {
      this.regroup();
    }
    const { stance } = this.roles;
    if (stance === undefined || this.ownedBy(stance.name).length === 0) {
      this.command = undefined;
    }
    this.onOwners.emit();
  }

  private takeStop(message: StopState): void {
    this.stop = message;
    this.onStop.emit();
  }

  // ---- user actions ----

  limitsOf(joint: string): Limits {
    return enforcedLimits(this, joint);
  }

  ownerOf(limb: string): string {
    return this.owners.get(limb) ?? "";
  }

  ownedBy(controller: string): string[] {
    return this.resources.filter((name) => this.owners.get(name) === controller);
  }

  /** @return why it failed, in the words of the server; empty if it succeeded */
  async request(
    component: ComponentInfo,
    operation: string,
    request: object = {},
  ): Promise<string> {
    try {
      const answer = await this.client.call<Partial<Outcome>>(path(component, operation), request);
      const failure = answer.message || `${component.name} rejected ${operation}`;
      return answer.success === false ? failure : "";
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** @return whether it succeeded; if not, onNotice has reported the reason */
  async do(component: ComponentInfo, operation: string, request: object = {}): Promise<boolean> {
    const failure = await this.request(component, operation, request);
    if (failure !== "") {
      this.onNotice.emit(failure);
    }
    return failure === "";
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
