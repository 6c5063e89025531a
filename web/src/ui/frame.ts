// Everything that changes the page in the rhythm of messages does so once in an animation frame.

const waiting = new Set<() => void>();
let isAsked = false;

function run(): void {
  isAsked = false;
  const now = [...waiting];
  waiting.clear();
  for (const update of now) {
    update();
  }
}

/** In the next frame, once however often it is asked for. */
export function soon(update: () => void): void {
  waiting.add(update);
  if (!isAsked) {
    isAsked = true;
    requestAnimationFrame(run);
  }
}

/** A function that may be called with every message, and does its work at most so often. */
export function atMost(perSecond: number, update: () => void): () => void {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const go = () => {
    timer = undefined;
    last = performance.now();
    soon(update);
  };
  return () => {
    const wait = last + 1000 / perSecond - performance.now();
    if (wait <= 0) {
      go();
    } else {
      timer ??= setTimeout(go, wait);
    }
  };
}
