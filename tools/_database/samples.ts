// The content of the embedded database: three schemas with the rows of a small shop, and the
// locks that make its reading role safe.
export const SAMPLES = `
CREATE SCHEMA users;
CREATE TYPE users.plan AS ENUM ('free', 'team', 'enterprise');
CREATE TABLE users.users (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  email text NOT NULL UNIQUE CHECK (email LIKE '%_@_%'),
  country text NOT NULL DEFAULT 'DE',
  plan users.plan NOT NULL DEFAULT 'free',
  is_active boolean NOT NULL DEFAULT true,
  tags text[] NOT NULL DEFAULT '{}',
  preferences jsonb NOT NULL DEFAULT '{}',
  signed_up_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE users.users IS 'Customers of the shop';
COMMENT ON COLUMN users.users.tags IS 'Free words for marketing';
INSERT INTO users.users (name, email, country, plan, is_active, tags, preferences, signed_up_at)
SELECT f.name || ' ' || l.name, lower(f.name || '.' || l.name || '@example.com'),
  (ARRAY['DE', 'FR', 'US', 'JP', 'BR', 'IN'])[1 + n % 6],
  (ARRAY['free', 'free', 'team', 'enterprise'])[1 + n % 4]::users.plan, n % 7 <> 0,
  CASE n % 3 WHEN 0 THEN ARRAY['newsletter', 'beta'] WHEN 1 THEN ARRAY['newsletter'] ELSE '{}' END,
  jsonb_build_object('theme', CASE n % 2 WHEN 0 THEN 'dark' ELSE 'light' END, 'language', (ARRAY['de', 'fr', 'en'])[1 + n % 3]),
  timestamptz '2025-01-07 09:30:00+00' + n * interval '11 days 3 hours'
FROM generate_series(0, 35) AS n,
  LATERAL (SELECT (ARRAY['Ada', 'Emil', 'Noor', 'Kenji', 'Lucia', 'Oskar', 'Priya', 'Tomas', 'Yara'])[1 + n % 9] AS name) AS f,
  LATERAL (SELECT (ARRAY['Berg', 'Costa', 'Dubois', 'Sato'])[1 + n / 9] AS name) AS l ORDER BY n;

CREATE SCHEMA products;
CREATE TABLE products.categories (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE);
INSERT INTO products.categories (name) VALUES ('Kitchen'), ('Office'), ('Garden'), ('Outdoor'), ('Audio'), ('Lighting');
CREATE TABLE products.products (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sku text NOT NULL UNIQUE,
  name text NOT NULL,
  category_id integer NOT NULL REFERENCES products.categories,
  price numeric(10, 2) NOT NULL CHECK (price >= 0),
  in_stock integer NOT NULL DEFAULT 0 CHECK (in_stock >= 0),
  is_discontinued boolean NOT NULL DEFAULT false,
  attributes jsonb NOT NULL DEFAULT '{}',
  added_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN products.products.price IS 'In euros, with tax';
INSERT INTO products.products (sku, name, category_id, price, in_stock, is_discontinued, attributes, added_at)
SELECT 'TR-' || 1000 + n, a.word || ' ' || noun, 1 + n % 6, 9.90 + (n * 37) % 190, (n * 13) % 60, n % 11 = 10,
  jsonb_build_object('color', (ARRAY['black', 'white', 'oak', 'steel'])[1 + n % 4], 'weightGrams', 150 + n * 45),
  timestamptz '2024-11-01 08:00:00+00' + n * interval '6 days'
FROM generate_series(0, 35) AS n,
  LATERAL (SELECT (ARRAY['Compact', 'Classic', 'Nordic', 'Folding', 'Silent', 'Studio'])[1 + n / 6] AS word) AS a,
  LATERAL (SELECT (ARRAY['Kettle', 'Desk Tray', 'Planter', 'Lantern', 'Speaker', 'Lamp'])[1 + n % 6] AS noun) AS b ORDER BY n;

CREATE SCHEMA orders;
CREATE TYPE orders.status AS ENUM ('pending', 'paid', 'shipped', 'cancelled');
CREATE TABLE orders.orders (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users.users,
  status orders.status NOT NULL DEFAULT 'pending',
  is_gift boolean NOT NULL DEFAULT false,
  note text,
  ordered_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE orders.items (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id integer NOT NULL REFERENCES orders.orders,
  product_id integer NOT NULL REFERENCES products.products,
  quantity integer NOT NULL CHECK (quantity > 0),
  unit_price numeric(10, 2) NOT NULL,
  UNIQUE (order_id, product_id)
);
COMMENT ON COLUMN orders.items.unit_price IS 'What the product cost when it was ordered, in euros';
INSERT INTO orders.orders (user_id, status, is_gift, note, ordered_at)
SELECT 1 + (n * 5) % 36, (ARRAY['shipped', 'shipped', 'paid', 'pending', 'cancelled'])[1 + n % 5]::orders.status, n % 9 = 4,
  CASE n % 9 WHEN 4 THEN 'Please wrap it' END, timestamptz '2026-02-01 10:15:00+00' + n * interval '5 days 7 hours'
FROM generate_series(0, 47) AS n ORDER BY n;
INSERT INTO orders.items (order_id, product_id, quantity, unit_price)
SELECT o.id, p.id, 1 + (o.id + line) % 3, p.price FROM orders.orders AS o, generate_series(0, 1) AS line
  JOIN products.products AS p ON true WHERE p.id = 1 + (o.id * 7 + line * 11) % 36 ORDER BY o.id, line;
`

// With these locks, a role set by the session is a real boundary: a statement can neither change
// the session's settings nor run another statement that it builds.
const FORBIDDEN =
  '^(set_config|nextval|setval|lo_.*|loread|lowrite|pg_(try_)?advisory_.*|pg_notify|pg_(cancel|terminate)_backend|' +
  'pg_export_snapshot|pg_logical_.*|pg_replication_.*|pg_(read|ls|stat)_.*file.*|pg_ls_.*|(query|cursor|table|schema|database)_to_.*|' +
  'ts_stat|ts_rewrite|setseed|pg_reload_conf|pg_rotate_.*|pg_switch_wal|pg_create_.*|pg_drop_.*|pg_stat_reset.*)$'

export const LOCKS = `
CREATE ROLE reader NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS;
GRANT USAGE ON SCHEMA users, products, orders TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA users, products, orders TO reader;
DO $$ DECLARE f regprocedure; BEGIN
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '${FORBIDDEN}' LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$;
REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC;
`
