// Goals: motions that a component plans and executes, until they end or are cancelled.
import type { Cockpit } from "./cockpit";
import { type ComponentInfo, path } from "./components";

const POLL_MS = 300;
const SUCCEEDED = 4; // of action_msgs/GoalStatus; larger: ended otherwise

/** Answers about goals; `success` of a plan, `accepted` of a request to move, `state` of one that was accepted. */
export interface GoalAnswer {
  success?: boolean;
  accepted?: boolean;
  goal_id?: number;
  state?: number;
  error_code?: number;
  error_string?: string;
  message?: string;
  /** What failed: joints or limbs. */
  name?: string[];
}

/** Why a goal was rejected or did not succeed; empty if it did, or is being executed. */
export function failureOf(answer: GoalAnswer): string {
  const { success = true, accepted = true, state = 0, error_code = 0 } = answer;
  const hasFailed = !success || !accepted || state > SUCCEEDED || error_code !== 0;
  return hasFailed ? answer.error_string || answer.message || `error ${error_code}` : "";
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** The goals of one component. */
export class Goals {
  private goal = { goal_id: 0 };

  constructor(
    private readonly cockpit: Cockpit,
    private readonly component: () => ComponentInfo | undefined,
  ) {}

  /** A call that fails is an answer, too. */
  async call<T extends GoalAnswer = GoalAnswer>(operation: string, request: object): Promise<T> {
    const component = this.component();
    try {
      if (component === undefined) {
        throw new Error("the component is missing");
      }
      return await this.cockpit.client.call<T>(path(component, operation), request);
    } catch (error) {
      return { success: false, message: (error as Error).message } as T;
    }
  }

  /** Send a goal and wait for its end. @return why it failed, or "" */
  async execute(operation: string, request: object): Promise<string> {
    let answer = await this.call(operation, request);
    this.goal = { goal_id: answer.goal_id ?? 0 };
    while (failureOf(answer) === "" && answer.state !== SUCCEEDED) {
      await pause(POLL_MS);
      answer = await this.call("getGoal", this.goal);
    }
    const failure = failureOf(answer);
    const names = answer.name?.join(", ") ?? "";
    return failure !== "" && names !== "" ? `${failure}: ${names}` : failure;
  }

  async cancel(): Promise<void> {
    await this.call("cancel", this.goal);
  }
}
