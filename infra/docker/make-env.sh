#!/bin/sh
# Prints the secrets of a new deployment, for docker-compose.yml:
#
#   (umask 077; sh infra/docker/make-env.sh > .env)
#
# Keep a copy of GATEBOOK_MASTER_KEY elsewhere: without it all personal data reads as nothing.
set -eu

letters() { head -c 256 /dev/urandom | base64 | tr -dc 'a-zA-Z0-9' | cut -c1-43; }

cat <<END
GATEBOOK_MASTER_KEY=$(head -c 32 /dev/urandom | base64)
GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY=pck_$(letters)
GATEBOOK_INTERNAL_SECRET_SERVER_KEY=ssk_$(letters)
GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY=sak_$(letters)
POSTGRES_PASSWORD=$(letters)
GATEBOOK_DATABASE_API_PASSWORD=$(letters)
GATEBOOK_DATABASE_PROJECTOR_PASSWORD=$(letters)
GATEBOOK_DATABASE_WORKER_PASSWORD=$(letters)
END
