// A function for the scripts of Redis, which all check the numbers that they read there.

/** `whole(text)`: the number, if it is whole, not negative, and a double can hold it; otherwise nil. */
export const WHOLE_NUMBER = `
local function whole(text)
  local number = tonumber(text)
  if number and number >= 0 and number <= ${Number.MAX_SAFE_INTEGER} and number % 1 == 0 then return number end
end
`
