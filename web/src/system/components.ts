// What a deployment consists of, and who in it does what. Nothing goes by the name of a component:
// types, ports and connections tell.

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

/** Who does what; a part that the deployment lacks is undefined, and its panel hides. */
export interface Roles {
  aggregator?: ComponentInfo;
  arbiter?: ComponentInfo;
  robotModel?: ComponentInfo;
  /** All that can own limbs. */
  controllers: ComponentInfo[];
  /** The controller that listens to the sliders: nobody inside writes its reference. */
  sliders?: ComponentInfo;
  /** Inverse kinematics that nobody inside drives, and the controller that obeys it. */
  inverse?: ComponentInfo;
  reach?: ComponentInfo;
  forward?: ComponentInfo;
  dynamics?: ComponentInfo;
  /** Who measures: a driver, or simulated servos. */
  measured?: ComponentInfo;
  /** Who knows how real servos are. */
  health?: ComponentInfo;
  ident?: ComponentInfo;
  recorder?: ComponentInfo;
}

const port = (component: ComponentInfo, name: string): PortInfo | undefined =>
  component.ports.find((entry) => entry.name === name);

const hasOperation = (component: ComponentInfo, name: string): boolean =>
  component.operations.some((entry) => entry.name === name);

/** Is it an input that only clients write? */
function isOpen(component: ComponentInfo, name: string): boolean {
  const found = port(component, name);
  return found !== undefined && found.connections.every(({ peer }) => peer === "outside");
}

function isFedBy(component: ComponentInfo, name: string, writer: ComponentInfo): boolean {
  const peers = port(component, name)?.connections ?? [];
  return peers.some(({ peer }) => peer.startsWith(`${writer.name}.`));
}

/** A controller that lets limbs go limp instead of moving them. */
export const letsGo = (component: ComponentInfo): boolean =>
  port(component, "out_limp")?.kind === "out";

/** Of several, the one with the usual name. */
function prefer(found: ComponentInfo[], name: string): ComponentInfo | undefined {
  return found.find((component) => component.name === name) ?? found[0];
}

export function findRoles(components: ComponentInfo[]): Roles {
  const ofType = (type: string) => components.find((component) => component.type === type);
  const controllers = components.filter((component) => hasOperation(component, "setOperational"));
  const followers = controllers.filter((c) => port(c, "in_joints_ref") !== undefined);
  const holds = (c: ComponentInfo) =>
    c.properties.some((entry) => entry.name === "start_operational" && entry.value === true);
  const inverse = components.find(
    (c) => port(c, "limbs_ref") !== undefined && isOpen(c, "limbs_ref"),
  );
  const roles: Record<keyof Roles, ComponentInfo | ComponentInfo[] | undefined> = {
    aggregator: components.find((c) => hasOperation(c, "emergencyStop")),
    arbiter: components.find((c) => hasOperation(c, "getOwners")),
    robotModel: components.find((c) => hasOperation(c, "listLimbs")),
    controllers,
    sliders: prefer(
      followers.filter((c) => isOpen(c, "in_joints_ref") && !holds(c)),
      "follow",
    ),
    inverse,
    reach: inverse && followers.find((c) => isFedBy(c, "in_joints_ref", inverse)),
    forward: ofType("kinematics_fwd"),
    dynamics: ofType("dynamics_inv"),
    measured: components.find((c) => port(c, "joints_measured")?.kind === "out"),
    health: components.find((c) =>
      c.ports.some(({ kind, type }) => kind === "out" && type === "ServoHealth"),
    ),
    ident: components.find((c) => hasOperation(c, "startIdentification")),
    recorder: ofType("recorder"),
  };
  // Absent rather than undefined.
  return Object.fromEntries(
    Object.entries(roles).filter(([, value]) => value !== undefined),
  ) as unknown as Roles;
}

/** `/component/port` and `/component/operation`; services inside of components have more parts. */
export function path(component: ComponentInfo, member: string): string {
  return `/${component.name.replaceAll(".", "/")}/${member}`;
}
