import { Type } from 'toolrack'

/** The location argument of the weather tools. */
export const LOCATION = Type.String({
  minLength: 2,
  maxLength: 100,
  description: 'City name or zip code; a country or region may follow after a comma',
})
