// Does each request reach a server that knows its session? Every request comes by a connection of
// its own, as through a load balancer.
import type { Check, Patient } from '../finding.ts'
import { endSession, initialize, sendInitialized, sendLegacy, toSession } from '../mcp.ts'
import { ask } from './answers.ts'

const REQUESTS = 6

export const checkSessions: Check = async patient => {
  if (patient.session === undefined) return
  const reply = await initialize(patient.send, patient.url, patient.session.version)
  const session = toSession(reply)
  if (session === undefined)
    return patient.problem(
      `a second handshake is refused (${reply.status})`,
      'a client connects more than once: what does the log of the server say?',
    )
  if (session.id === undefined) return patient.ok('keeps no session: any replica may answer')
  const { status } = await sendInitialized(patient.send, patient.url, session)
  if (status === 404) return reportLost(patient, 1)
  if (status !== 202)
    patient.warn(
      `a notification is answered with ${status}`,
      'answer 202 without a body; some clients take others for errors',
    )
  const statuses: number[] = []
  for (let count = 0; count < REQUESTS; count++)
    statuses.push((await sendLegacy(patient.send, patient.url, session, 'ping')).status)
  await endSession(patient.send, patient.url, session)
  const lost = statuses.filter(each => each === 404 || each === 400).length
  if (lost > 0) return reportLost(patient, lost)
  const others = statuses.filter(each => each !== 200)
  if (others.length > 0)
    return patient.warn(`ping is answered with ${others.join(', ')}`, 'look at the log of the server')
  patient.ok(`a session is known on ${REQUESTS} connections of their own`)
}

const reportLost = (patient: Patient, count: number) =>
  patient.problem(
    `${count} of ${REQUESTS} requests reached a server that does not know the session`,
    'let replicas share sessions (Toolrack: REDIS_URL, or for plain calls the same STATE_SECRET), or send a session to one replica by Mcp-Session-Id',
  )

/** Replicas behind one address may differ. */
export const checkReplicas: Check = async patient => {
  if (patient.modern === undefined) return
  const statuses: number[] = []
  for (let count = 0; count < REQUESTS; count++) {
    const { result, status } = await ask(patient)
    if (result === undefined) statuses.push(status)
  }
  if (statuses.length === 0) return patient.ok(`${REQUESTS} requests on connections of their own are answered alike`)
  patient.problem(
    `${statuses.length} of ${REQUESTS} like requests fail (${statuses.join(', ')})`,
    'is one replica down, or of another version? Look at its log',
  )
}
