// Sessions by id: bounded in number, forgotten when nobody has used them for a while.
import type { Eventually } from '../chain.ts'
import type { Session } from '../session.ts'

/** What a new session begins with. */
export type Opening = Pick<Session, 'revision' | 'owner' | 'capabilities' | 'seen'> & {
  /** 192 random bits, in base64url; undefined: new ones. */
  readonly id?: string | undefined
}

export interface Sessions {
  /** @throws McpError BUSY (503) where there is no room, and all that could make some are busy */
  open(opening: Opening): Eventually<Session>
  /** The session, whose idle life begins anew; undefined where it is unknown, ended or expired. */
  find(id: string): Eventually<Session | undefined>
  /** The session as it is kept, which is no use of it. */
  peek(id: string): Eventually<Session | undefined>
  /** Whether it is there, which is no use of it. */
  has(id: string): Eventually<boolean>
  /** Keeps what was changed of it. */
  save(session: Session): Eventually<void>
  end(id: string): Eventually<void>
  /** Called with each session that expires or has to make room. */
  onExpired(listener: (session: Session) => void): void
  /** Sessions of which this is true make no room for new ones. */
  spare(isBusy: (id: string) => boolean): void
  close(): Eventually<void>
}
