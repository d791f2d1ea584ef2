import { Type } from 'toolrack'

/** How a place is named by whoever asks. */
export const LOCATION = Type.String({
  minLength: 2,
  maxLength: 100,
  description: 'City name or zip code; a country or region may follow after a comma',
})
