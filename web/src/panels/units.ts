// Angles in radians or degrees, as the user likes; lengths in metres.

const KEY = "sinew.unit";
const DEGREE = Math.PI / 180;

export class Units {
  private isDegrees = localStorage.getItem(KEY) === "deg";

  get name(): string {
    return this.isDegrees ? "deg" : "rad";
  }

  switch(): string {
    this.isDegrees = !this.isDegrees;
    localStorage.setItem(KEY, this.name);
    return this.name;
  }

  text(value: number, isAngle: boolean, withUnit = false): string {
    const isDegrees = isAngle && this.isDegrees;
    const shown = isDegrees ? value / DEGREE : value;
    const digits = shown.toFixed(isDegrees ? 1 : 3);
    const number = Number(digits) === 0 ? digits.replace("-", "") : digits;
    return withUnit ? `${number} ${isAngle ? this.name : "m"}` : number;
  }

  toSi(value: number, isAngle: boolean): number {
    return isAngle && this.isDegrees ? value * DEGREE : value;
  }
}
