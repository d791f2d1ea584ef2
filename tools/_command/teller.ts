// Reports output as progress: the first at once, then at most once per interval, the last always.
const INTERVAL_MS = 100

export type Progress = (progress: number, total?: number, message?: string) => void

export interface Teller {
  add(bytes: number, lastLine: string): void
  /** Stops the reports. */
  end(): void
}

/** @param progress receives the bytes so far, and the last line that was not empty */
export function teller(progress: Progress): Teller {
  let bytes = 0
  let line = ''
  let told = 0
  let timer: NodeJS.Timeout | undefined
  const tell = () => {
    timer = undefined
    if (told === bytes) return
    told = bytes
    progress(bytes, undefined, line)
    timer = setTimeout(tell, INTERVAL_MS)
  }
  return {
    add(count, lastLine) {
      bytes += count
      line = lastLine || line
      if (timer === undefined) tell()
    },
    end() {
      clearTimeout(timer)
      tell()
      clearTimeout(timer)
    },
  }
}
