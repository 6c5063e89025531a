// Updates caused by messages run at most once per animation frame.

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

/** Run in the next frame, once however often it is requested. */
export function nextFrame(update: () => void): void {
  waiting.add(update);
  if (!isAsked) {
    isAsked = true;
    requestAnimationFrame(run);
  }
}

/** Throttle: the result can be called for every message and runs at most this often. */
export function throttle(perSecond: number, update: () => void): () => void {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const go = () => {
    timer = undefined;
    last = performance.now();
    nextFrame(update);
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
