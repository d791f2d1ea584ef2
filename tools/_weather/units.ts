/** The units of each system, as the tools show them and as Open-Meteo's parameters name them. */
export const UNITS = {
  metric: { degree: '°C', speed: 'km/h', query: {} },
  imperial: { degree: '°F', speed: 'mph', query: { temperature_unit: 'fahrenheit', wind_speed_unit: 'mph' } },
} as const

export type Units = keyof typeof UNITS
