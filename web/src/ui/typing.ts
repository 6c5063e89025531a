// Which keys belong to the focused element.

const TEXT_FIELDS = new Set(["text", "number", "search", "password", "email", "url", "tel"]);

/** Whether the user is typing: letters and the space bar are text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) {
    return false;
  }
  return (
    (target instanceof HTMLInputElement && TEXT_FIELDS.has(target.type)) ||
    target instanceof HTMLTextAreaElement ||
    target.isContentEditable
  );
}

/** Whether a letter means something to the focused element. */
export const takesLetters = (target: EventTarget | null): boolean =>
  isTyping(target) || target instanceof HTMLSelectElement;

/** Whether an arrow key means something to the focused element. */
export const takesArrows = (target: EventTarget | null): boolean =>
  takesLetters(target) || target instanceof HTMLInputElement;
