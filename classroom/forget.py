"""Takes an account out of the memory of a hub that is not running: ``forget.py DATABASE ACCOUNT``."""

import sys

from jupyterhub import orm


def main(database: str, name: str) -> None:
    session = orm.new_session_factory(f"sqlite:///{database}")()
    if (user := orm.User.find(session, name)) is not None:
        session.delete(user)
        session.commit()
    session.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
