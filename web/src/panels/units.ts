// Angles in radians or degrees, lengths in metres. All panels share the user's choice.
import { fixed } from "../system/curves";
import { Signal } from "../system/signal";

const KEY = "sinew.unit";
const DEGREE = Math.PI / 180;

export class Units {
  readonly onChange = new Signal();
  private isDegrees = localStorage.getItem(KEY) === "deg";

  /** The unit of angles. */
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

  /** One radian or metre in the displayed unit. */
  factor(isAngle: boolean): number {
    return isAngle && this.isDegrees ? 1 / DEGREE : 1;
  }

  /** @param digits  decimals for radians or metres; degrees have two fewer */
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
