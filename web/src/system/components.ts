// The components of a deployment and their roles. Roles follow from types, ports and connections, not
// from component names.

export interface PortInfo {
  name: string;
  kind: "in" | "many" | "out";
  type: string;
  connections: { peer: string }[];
}
export interface OperationInfo {
  name: string;
  doc: string;
}
export interface PropertyInfo {
  name: string;
  value: unknown;
  /** It can be set while the component runs. */
  live?: boolean;
  /** `a|b`: the only values. */
  choices?: string;
  /** `true or false`, `real number` … */
  kind?: string;
  min?: number;
  max?: number;
  unit?: string;
  doc?: string;
  /** It names a file, and is not set over the network. */
  path?: boolean;
}
export interface ComponentInfo {
  name: string;
  type: string;
  state: "unconfigured" | "stopped" | "running" | "error";
  trouble: string | null;
  doc: string;
  properties: PropertyInfo[];
  ports: PortInfo[];
  operations: OperationInfo[];
}

/** The component for each role; undefined if the deployment has none. */
export interface Roles {
  aggregator?: ComponentInfo;
  /** Publishes the commanded pose: the aggregator, also as part of a recording. */
  command?: ComponentInfo;
  arbiter?: ComponentInfo;
  robotModel?: ComponentInfo;
  /** Components that can own limbs. */
  controllers: ComponentInfo[];
  /** The controller that follows the sliders: no component writes its reference. */
  sliders?: ComponentInfo;
  /** Inverse kinematics whose reference no component writes, and the controller that follows it. */
  inverse?: ComponentInfo;
  reach?: ComponentInfo;
  /** The controller that moves the base, and the one that turns the head; no component writes their reference. */
  stance?: ComponentInfo;
  look?: ComponentInfo;
  /** Publishes where the base is: an estimate (`out_base`), or the truth of a simulation (`base_truth`). */
  base?: ComponentInfo;
  truth?: ComponentInfo;
  /** Publishes the forces of the ground. */
  forces?: ComponentInfo;
  forward?: ComponentInfo;
  dynamics?: ComponentInfo;
  /** Publishes measured joints: a driver, or simulated servos. */
  measured?: ComponentInfo;
  /** Publishes the health of real servos. */
  health?: ComponentInfo;
  /** Drivers that can be calibrated by hand. */
  calibrators: ComponentInfo[];
  ident?: ComponentInfo;
  recorder?: ComponentInfo;
  /** A folder of movements that can be played. */
  movements?: ComponentInfo;
  /** Walks with a commanded velocity. */
  walk?: ComponentInfo;
  /** Plans steps to a place, and goes there. */
  moveBase?: ComponentInfo;
  /** Move tools through targets, and with a velocity while the user wants it. */
  movers: ComponentInfo[];
  joggers: ComponentInfo[];
  /** Reports falls. */
  fall?: ComponentInfo;
  /** Checks collisions: the gate. */
  guard?: ComponentInfo;
  /** Puts a robot that fell back on its feet. */
  upright?: ComponentInfo;
}

/** The type of components that stand for those of a recording. */
const RECORDED = "recorded";

const port = (component: ComponentInfo, name: string): PortInfo | undefined =>
  component.ports.find((entry) => entry.name === name);

export const hasOperation = (component: ComponentInfo, name: string): boolean =>
  component.operations.some((entry) => entry.name === name);

/** Value of a property; undefined if there is none. */
export const propertyOf = (component: ComponentInfo | undefined, name: string): unknown =>
  component?.properties.find((entry) => entry.name === name)?.value;

/** Whether only clients write this input. */
function isOpen(component: ComponentInfo, name: string): boolean {
  const found = port(component, name);
  return found !== undefined && found.connections.every(({ peer }) => peer === "outside");
}

function isFedBy(component: ComponentInfo, name: string, writer: ComponentInfo): boolean {
  const peers = port(component, name)?.connections ?? [];
  return peers.some(({ peer }) => peer.startsWith(`${writer.name}.`));
}

/** Whether a controller makes limbs limp instead of moving them. */
export const makesLimp = (component: ComponentInfo): boolean =>
  port(component, "out_limp")?.kind === "out";

/** Whether a controller has the limbs that no other wants. */
export const holdsLimbs = (component: ComponentInfo): boolean =>
  propertyOf(component, "start_operational") === true;

/** The component with the usual name, or else the first. */
function prefer(found: ComponentInfo[], name: string): ComponentInfo | undefined {
  return found.find((component) => component.name === name) ?? found[0];
}

export function findRoles(components: ComponentInfo[]): Roles {
  const ofType = (type: string) => components.find((component) => component.type === type);
  // The outputs of a recording keep the names of their components, which in most deployments are their types.
  const publisher = (type: string) =>
    ofType(type) ?? components.find((c) => c.type === RECORDED && c.name === type);
  const controllers = components.filter((component) => hasOperation(component, "setOperational"));
  const followers = controllers.filter((c) => port(c, "in_joints_ref") !== undefined);
  const inverse = components.find(
    (c) => port(c, "limbs_ref") !== undefined && isOpen(c, "limbs_ref"),
  );
  const roles: Record<keyof Roles, ComponentInfo | ComponentInfo[] | undefined> = {
    aggregator: components.find((c) => hasOperation(c, "emergencyStop")),
    command: components.find((c) => port(c, "joints_sorted")?.kind === "out"),
    arbiter: components.find((c) => hasOperation(c, "getOwners")),
    robotModel: components.find((c) => hasOperation(c, "listLimbs")),
    controllers,
    sliders: prefer(
      followers.filter((c) => isOpen(c, "in_joints_ref") && !holdsLimbs(c)),
      "follow",
    ),
    inverse,
    reach: inverse && followers.find((c) => isFedBy(c, "in_joints_ref", inverse)),
    stance: controllers.find((c) => isOpen(c, "in_base_ref")),
    look: controllers.find((c) => isOpen(c, "in_point_ref")),
    base: prefer(
      components.filter((c) => port(c, "out_base")?.kind === "out"),
      "state_estimator",
    ),
    truth: components.find((c) => port(c, "base_truth")?.kind === "out"),
    forces: components.find((c) => port(c, "contact_forces")?.kind === "out"),
    forward: publisher("kinematics_fwd"),
    dynamics: publisher("dynamics_inv"),
    measured: components.find((c) => port(c, "joints_measured")?.kind === "out"),
    health: components.find((c) =>
      c.ports.some(({ kind, type }) => kind === "out" && type === "ServoHealth"),
    ),
    calibrators: components.filter((c) => hasOperation(c, "beginCalibration")),
    ident: components.find((c) => hasOperation(c, "startIdentification")),
    recorder: ofType("recorder"),
    movements: components.find((c) => hasOperation(c, "listMovements")),
    walk: ofType("Walk"),
    moveBase: ofType("MoveBase"),
    movers: components.filter((c) => hasOperation(c, "moveTool")),
    joggers: components.filter((c) => c.type === "CartesianServo"),
    fall: components.find((c) =>
      c.ports.some(({ kind, type }) => kind === "out" && type === "FallState"),
    ),
    guard: components.find((c) =>
      c.ports.some(({ kind, type }) => kind === "out" && type === "CollisionState"),
    ),
    upright: components.find((c) => hasOperation(c, "putOnFeet")),
  };
  return Object.fromEntries(
    Object.entries(roles).filter(([, value]) => value !== undefined),
  ) as unknown as Roles;
}

/** Topic or service name: `/component/port` or `/component/operation`. Dots in component names become slashes. */
export function path(component: ComponentInfo, member: string): string {
  return `/${component.name.replaceAll(".", "/")}/${member}`;
}
