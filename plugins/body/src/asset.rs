//! Model files as Bevy assets.

use std::path::PathBuf;
use std::sync::Arc;

use bevy::asset::io::Reader;
use bevy::asset::io::file::FileAssetReader;
use bevy::asset::{AssetLoader, AssetPlugin, LoadContext};
use bevy::prelude::*;
use bunraku_document::{Diagnostic, Reporter, Severity};
use thiserror::Error;

use crate::{Body, LoadOptions};

/// A model file loaded by Bevy's asset server, to be spawned with [`crate::spawn_body`].
///
/// ```
/// use bevy::prelude::*;
/// use bunraku_body::{BodyAsset, BodyPlugin, BodyState, Drive, spawn_body};
///
/// #[derive(Resource)]
/// struct Robot(Handle<BodyAsset>);
///
/// fn load(mut commands: Commands, assets: Res<AssetServer>) {
///     commands.insert_resource(Robot(assets.load("robot.body")));
/// }
///
/// fn spawn(mut commands: Commands, robot: Option<Res<Robot>>, bodies: Res<Assets<BodyAsset>>) {
///     let Some(asset) = robot.and_then(|robot| bodies.get(&robot.0)) else { return };
///     spawn_body(&mut commands, asset.body.clone(), BodyState::initial(&asset.body), Drive::Physics);
///     commands.remove_resource::<Robot>();
/// }
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), BodyPlugin));
/// app.add_systems(Startup, load).add_systems(Update, spawn);
/// ```
#[derive(Asset, TypePath, Clone, Debug)]
pub struct BodyAsset {
    /// The model.
    pub body: Arc<Body>,
    /// Warnings and notes of the load.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reason why a model file cannot be loaded as an asset.
#[derive(Debug, Error)]
pub enum BodyAssetError {
    /// The asset comes from a source other than the file system.
    #[error("a body is read from the file system, not from `{0}`")]
    NoFile(String),
    /// The file is not a valid model. All findings; at least one of them is an error.
    #[error("{}", errors(.0))]
    Unreadable(Vec<Diagnostic>),
}

fn errors(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Loads `.body` files and OpenHRP models (`.wrl`) for the asset server. [`crate::BodyPlugin`] registers it if the app
/// has an `AssetPlugin`.
///
/// A model refers to other files (meshes, images, included models) relative to itself or to search roots, also in
/// parent directories. They are read from the file system, not through the asset server. The model must therefore come
/// from the server's default source, and that must be a directory: asset path `robots/a.body` is file
/// `<root>/robots/a.body`. A change of those other files does not reload the model.
#[derive(TypePath, Clone, Debug, Default)]
pub struct BodyAssetLoader {
    /// The directory of the default asset source.
    pub root: PathBuf,
    /// Load options. `${SHARE}` and similar variables are defined only if they are set here.
    pub options: LoadOptions,
}

impl BodyAssetLoader {
    /// A loader for the directory that an `AssetPlugin` reads from.
    pub fn for_plugin(plugin: &AssetPlugin) -> Self {
        Self { root: FileAssetReader::get_base_path().join(&plugin.file_path), options: LoadOptions::default() }
    }
}

impl AssetLoader for BodyAssetLoader {
    type Asset = BodyAsset;
    type Settings = ();
    type Error = BodyAssetError;

    async fn load(
        &self,
        _: &mut dyn Reader,
        (): &Self::Settings,
        context: &mut LoadContext<'_>,
    ) -> Result<BodyAsset, BodyAssetError> {
        let path = context.path();
        if path.source().as_str().is_some() {
            return Err(BodyAssetError::NoFile(path.to_string()));
        }
        let reporter = Reporter::new();
        let body = crate::load(&self.root.join(path.path()), &self.options, &reporter);
        let diagnostics = reporter.into_diagnostics();
        match body {
            Some(body) => Ok(BodyAsset { body: Arc::new(body), diagnostics }),
            None => Err(BodyAssetError::Unreadable(diagnostics)),
        }
    }

    fn extensions(&self) -> &[&str] {
        &["body", "wrl"]
    }
}

/// Registers the loader, if the app has assets and the loader is not registered yet.
pub fn register(app: &mut App) {
    let plugins = app.get_added_plugins::<AssetPlugin>();
    let Some(loader) = plugins.first().map(|plugin| BodyAssetLoader::for_plugin(plugin)) else { return };
    if !app.world().contains_resource::<Assets<BodyAsset>>() {
        app.init_asset::<BodyAsset>().register_asset_loader(loader);
    }
}
