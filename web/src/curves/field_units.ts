// Units of fields. Definitions of messages do not state them; these are the conventions of ROS (REP 103), which all
// messages of Sinew keep.

const VECTORS: Record<string, string> = {
  point: "m",
  position: "m",
  translation: "m",
  linear: "m/s",
  angular: "rad/s",
  force: "N",
  torque: "N·m",
  linear_acceleration: "m/s²",
  angular_velocity: "rad/s",
};

const BY_TYPE: Record<string, Record<string, string>> = {
  "sensor_msgs/JointState": { position: "joint", velocity: "joint/s", effort: "joint effort" },
  "trajectory_msgs/JointTrajectoryPoint": {
    positions: "joint",
    velocities: "joint/s",
    accelerations: "joint/s²",
    effort: "joint effort",
  },
  "sensor_msgs/BatteryState": {
    voltage: "V",
    current: "A",
    temperature: "°C",
    charge: "Ah",
    capacity: "Ah",
    design_capacity: "Ah",
    cell_voltage: "V",
    cell_temperature: "°C",
  },
  "geometry_msgs/Point": { x: "m", y: "m", z: "m" },
};

const BY_ENDING: [RegExp, string][] = [
  [/(^|_)ns$/, "ns"],
  [/temperature$/, "°C"],
  [/voltage$/, "V"],
  [/(^|_)(duration|elapsed|delay|period|age)$/, "s"],
  [/(^|_)(distance|clearance|height)$/, "m"],
];

/** @param owner  name of the type that has the field
 *  @return the unit; `joint…`: it depends on the joint, see jointUnit() */
export function unitOf(owner: string, field: string): string {
  const known = BY_TYPE[owner.replace("/msg/", "/")]?.[field];
  return known ?? BY_ENDING.find(([ending]) => ending.test(field))?.[1] ?? "";
}

/** Components of a vector have the unit that the field of the vector stands for. */
export function unitOfPath(path: string, unit: string): string {
  const field = /([a-z_]+)(?:\[[^\]]*\])?\.[xyz]$/.exec(path)?.[1];
  return field === undefined ? unit : (VECTORS[field] ?? unit);
}

/** The unit of a curve of a joint. */
export function jointUnit(unit: string, isAngle: boolean): string {
  switch (unit) {
    case "joint":
      return isAngle ? "rad" : "m";
    case "joint/s":
      return isAngle ? "rad/s" : "m/s";
    case "joint/s²":
      return isAngle ? "rad/s²" : "m/s²";
    case "joint effort":
      return isAngle ? "N·m" : "N";
    default:
      return unit;
  }
}
