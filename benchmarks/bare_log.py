"""The last 20 commits of a repository with what they changed, as a program asks GitPython for them."""

import sys

from git import Repo

print(Repo(sys.argv[1]).git.log("-n20", "--numstat", "--format=%H%x09%cI%x09%an%x09%s"))
