-- Run once as a superuser, in the database of the plants. Choose your own passwords.

-- The index of words rests on it. It comes with PostgreSQL; some packages have it apart (postgresql-contrib).
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Owns the tables: for "plant-store migrate".
CREATE ROLE plants_owner LOGIN PASSWORD 'change-me';
GRANT CREATE, USAGE ON SCHEMA public TO plants_owner;

-- Reads and writes rows: for "plant-store serve" and the token commands.
CREATE ROLE plants LOGIN PASSWORD 'change-me';
ALTER DEFAULT PRIVILEGES FOR ROLE plants_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO plants;
-- Of a database that was made with --engine citus.
ALTER DEFAULT PRIVILEGES FOR ROLE plants_owner IN SCHEMA public
  GRANT SELECT, UPDATE ON SEQUENCES TO plants;
