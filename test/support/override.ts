// A store with some of its methods replaced. A copy by a spread would lack those of its class.
export const override = <T extends object>(store: T, methods: Partial<T>): T =>
  new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(methods, name)
      const value: unknown = own ?? Reflect.get(target, name, target)
      return typeof value === 'function' && own === undefined ? value.bind(target) : value
    },
  })
