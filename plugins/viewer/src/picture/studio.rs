//! A Bevy app that renders one image.

use bevy::camera::{ClearColorConfig, RenderTarget};
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::prelude::*;
use bevy::render::gpu_readback::{Readback, ReadbackComplete};
use bevy::render::render_resource::{TextureFormat, TextureUsages};
use bevy::render::renderer::RenderDevice;
use bunraku_body::visuals::{BodyVisualsPlugin, VisualDiagnostics};
use bunraku_body::{BodyLinks, BodyState, Drive, ToBevy, spawn_body};
use image::RgbaImage;

use super::camera::PictureCamera;
use super::data::{Picture, PictureError, PictureSize, PosedBody};
use super::device::Device;
use super::headless::{Deadline, Headless};

/// Background colour: a light grey-blue that models seldom have.
const BACKGROUND: Color = Color::srgb(0.78, 0.82, 0.87);

/// Illuminance that displays a white surface as white at Bevy's default exposure, lx: π · 1.2 · 2^9.7.
const FULL_LIGHT: f32 = std::f32::consts::PI * 998.0;

/// Fraction of the light that comes from above the left shoulder of the camera; the rest is ambient. Together they make
/// a surface that faces the light fully bright.
const KEY_LIGHT: f32 = 0.75;
const AMBIENT_LIGHT: f32 = 0.25;

/// Fraction of the ambient light that a matte surface reflects in Bevy's formula (an approximation of a microfacet
/// surface of roughness 1 under ambient light).
const AMBIENT_REFLECTION: f32 = 0.452;

/// Direction of the key light in the camera's axes: right, up, backwards.
const KEY_DIRECTION: Vec3 = Vec3::new(0.5, -0.6, -1.0);

pub struct Studio(Headless);

/// Contents of an image.
pub struct Scenery {
    /// Render target of the camera.
    film: Handle<Image>,
    size: PictureSize,
    bodies: Vec<Entity>,
}

/// Bytes of the image, with padded rows.
#[derive(Resource)]
struct Developed(Vec<u8>);

impl Studio {
    pub fn new(device: Device) -> Self {
        Self::with(device, ())
    }

    /// A studio with plugins that change the rendering.
    pub fn with<M>(device: Device, plugins: impl bevy::app::Plugins<M>) -> Self {
        Self(Headless::new(device, |app| {
            app.add_plugins(BodyVisualsPlugin).add_plugins(plugins);
        }))
    }

    pub fn take(
        &mut self,
        bodies: &[PosedBody],
        camera: &PictureCamera,
        size: PictureSize,
    ) -> Result<Picture, PictureError> {
        let scenery = self.set_up(bodies, camera, size)?;
        self.expose(&scenery)
    }

    /// Renders the scenery.
    pub fn expose(&mut self, Scenery { film, size, .. }: &Scenery) -> Result<Picture, PictureError> {
        let deadline = Deadline::of_a_picture();
        self.0.settle(deadline)?;
        let world = self.0.app.world_mut();
        let reader = world.spawn(Readback::texture(film.clone()));
        let reader = reader.id();
        world.entity_mut(reader).observe(|event: On<ReadbackComplete>, mut commands: Commands| {
            commands.insert_resource(Developed(event.data.clone()));
        });
        let bytes = loop {
            if let Some(Developed(bytes)) = self.0.app.world_mut().remove_resource() {
                break bytes;
            }
            self.0.draw_frame(deadline)?;
        };
        let world = self.0.app.world_mut();
        world.despawn(reader);
        let diagnostics = world.query::<&VisualDiagnostics>().iter(world).flat_map(|found| found.0.clone()).collect();
        Ok(Picture { image: without_padding(&bytes, *size)?, diagnostics })
    }

    /// Moves the links of the bodies; `states` are in the order in which the bodies were set up.
    pub fn pose(&mut self, scenery: &Scenery, states: &[BodyState]) {
        let world = self.0.app.world_mut();
        for (body, state) in scenery.bodies.iter().zip(states) {
            let links: Vec<_> = world.get::<BodyLinks>(*body).into_iter().flat_map(BodyLinks::iter).collect();
            for (link, pose) in links.into_iter().zip(&state.link_poses) {
                if let Some(mut transform) = world.get_mut::<Transform>(link) {
                    *transform = pose.to_bevy();
                }
            }
        }
    }

    /// Sets up bodies, lights and camera.
    pub fn set_up(
        &mut self,
        bodies: &[PosedBody],
        camera: &PictureCamera,
        size: PictureSize,
    ) -> Result<Scenery, PictureError> {
        let limit = self.0.device.limits().max_texture_dimension_2d;
        let allowed = 1..=limit;
        if !allowed.contains(&size.width) || !allowed.contains(&size.height) {
            return Err(PictureError::Size { size, limit });
        }
        let (pose, projection) = camera.to_bevy(size).ok_or(PictureError::Camera)?;
        let world = self.0.app.world_mut();
        let format = TextureFormat::Rgba8UnormSrgb;
        let mut film = Image::new_target_texture(size.width, size.height, format, None);
        film.texture_descriptor.usage |= TextureUsages::COPY_SRC;
        let film = world.resource_mut::<Assets<Image>>().add(film);
        let mut spawn = |posed: &PosedBody| {
            spawn_body(&mut world.commands(), posed.body.clone(), posed.state.clone(), Drive::Static)
        };
        let bodies: Vec<Entity> = bodies.iter().map(&mut spawn).collect();
        world.spawn((
            Camera3d::default(),
            Camera { clear_color: ClearColorConfig::Custom(BACKGROUND), ..default() },
            RenderTarget::Image(film.clone().into()),
            AmbientLight {
                brightness: AMBIENT_LIGHT * FULL_LIGHT / (std::f32::consts::PI * AMBIENT_REFLECTION),
                ..default()
            },
            Tonemapping::None,
            DebandDither::Disabled,
            Msaa::Sample4,
            pose,
            projection,
        ));
        world.spawn((
            DirectionalLight { illuminance: KEY_LIGHT * FULL_LIGHT, ..default() },
            Transform::default().looking_to(pose.rotation * KEY_DIRECTION, Vec3::Z),
        ));
        world.flush();
        Ok(Scenery { film, size, bodies })
    }
}

/// Rows are read back in multiples of 256 bytes.
fn without_padding(bytes: &[u8], size: PictureSize) -> Result<RgbaImage, PictureError> {
    let row = 4 * size.width as usize;
    let padded = RenderDevice::align_copy_bytes_per_row(row);
    let mut pixels: Vec<u8> =
        bytes.chunks(padded).take(size.height as usize).flat_map(|line| line.iter().take(row).copied()).collect();
    // Transparent surfaces are blended with the background.
    for pixel in pixels.chunks_exact_mut(4) {
        pixel[3] = u8::MAX;
    }
    RgbaImage::from_raw(size.width, size.height, pixels)
        .ok_or_else(|| PictureError::Rendering("the picture came back with too few pixels".to_owned()))
}
