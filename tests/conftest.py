"""For every test: English at its start, and afterwards the language as it was; and what most of them begin with."""

import pytest
from hypothesis import settings

from attention_lib import Experiment
from attention_lib.language import LANGUAGES, choose, chosen

settings.register_profile("lesson", deadline=None)  # a loaded machine takes its time
settings.load_profile("lesson")


@pytest.fixture(autouse=True)
def _english():
    before = chosen()
    choose("en")
    yield
    choose(before)


@pytest.fixture(params=LANGUAGES)
def language(request):
    """Each language in turn, chosen."""
    choose(request.param)
    return request.param


@pytest.fixture
def e():
    return Experiment.from_example("我爱你")
