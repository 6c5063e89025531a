// Angles in radians or degrees, as the user likes; lengths in metres. All panels share one choice.
import { fixed } from "../system/curves";
import { Signal } from "../system/signal";

const KEY = "sinew.unit";
const DEGREE = Math.PI / 180;

export class Units {
  readonly onChange = new Signal();
  private isDegrees = localStorage.getItem(KEY) === "deg";

  /** Of angles. */
  get name(): string {
    return this.isDegrees ? "deg" : "rad";
  }

  nameOf(isAngle: boolean): string {
    return isAngle ? this.name : "m";
  }

  switch(): void {
    this.isDegrees = !this.isDegrees;
    localStorage.setItem(KEY, this.name);
    this.onChange.emit();
  }

  /** One radian, or one metre, in the unit that is shown. */
  factor(isAngle: boolean): number {
    return isAngle && this.isDegrees ? 1 / DEGREE : 1;
  }

  /** @param digits  behind the point, in radians or metres; degrees have two fewer */
  text(value: number, isAngle: boolean, digits = 3): string {
    const isDegrees = isAngle && this.isDegrees;
    return fixed(value * this.factor(isAngle), Math.max(0, digits - (isDegrees ? 2 : 0)));
  }

  textWithUnit(value: number, isAngle: boolean): string {
    return `${this.text(value, isAngle)} ${this.nameOf(isAngle)}`;
  }

  toSi(value: number, isAngle: boolean): number {
    return value / this.factor(isAngle);
  }
}
