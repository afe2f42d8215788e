"""For every test: English at its start, and afterwards the language as it was."""

import pytest

from attention_lib.language import LANGUAGES, choose


@pytest.fixture(params=LANGUAGES)
def language(request):
    """Each language in turn, chosen."""
    choose(request.param)
    return request.param
