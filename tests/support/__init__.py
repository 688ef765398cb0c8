"""What several test files share; pytest explains failed asserts in the suites below as in any test file."""

import pytest

pytest.register_assert_rewrite("support.format_suite", "support.provider_suite", "support.golden", "support.cli")
