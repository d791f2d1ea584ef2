// In place of an answer: the client's own error, such as that its user would not have its model asked.

/** Rejects the question of the handler, in this run and in every later one. */
export class Refused extends Error {
  override name = 'Refused'
}
