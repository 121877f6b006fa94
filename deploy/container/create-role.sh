# Run by the image of PostgreSQL at its first start: the service owns its database and is no superuser. The superuser has no
# password afterwards: only "docker compose exec database psql --username=postgres" reaches it.
psql --set=ON_ERROR_STOP=1 --set=password="$(cat /run/secrets/database)" --username=postgres <<'SQL'
CREATE ROLE plants LOGIN PASSWORD :'password';
CREATE DATABASE plants OWNER plants;
ALTER ROLE postgres PASSWORD NULL;
SQL
