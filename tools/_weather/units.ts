/** What the tools and Open-Meteo call the units of each system. */
export const UNITS = {
  metric: { degree: '°C', speed: 'km/h', query: {} },
  imperial: { degree: '°F', speed: 'mph', query: { temperature_unit: 'fahrenheit', wind_speed_unit: 'mph' } },
} as const

export type Units = keyof typeof UNITS
